//! Best fit as a program: reads a question from standard input, writes a solution to standard output.

fn main() -> Result<(), serde_json::Error> {
    let question = serde_json::from_reader(std::io::stdin().lock())?;
    serde_json::to_writer(std::io::stdout().lock(), &best_fit::best_fit(&question))
}
