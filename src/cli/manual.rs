//! `migopt manual`.

use super::arguments::{ManualArguments, command};
use super::exit::{EXIT_PROVED, Failure};
use super::files::{FutureFile, make_folder};
use super::output::print;
use clap_mangen::Man;

pub fn run(task: &ManualArguments) -> Result<u8, Failure> {
    let page = |command: clap::Command| {
        let mut bytes = Vec::new();
        Man::new(command).render(&mut bytes).expect("writing to memory");
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let Some(folder) = &task.output else {
        print(&page(command()))?;
        return Ok(EXIT_PROVED);
    };
    make_folder(folder)?;
    let mut root = command();
    root.build();
    for (name, command) in pages(&root, root.get_name()) {
        let path = folder.join(format!("{name}.1"));
        FutureFile::prepare(&path)?.write(&page(command.name(name)))?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(EXIT_PROVED)
}

/// A command under its full name, after those of its subcommands.
fn pages(command: &clap::Command, name: &str) -> Vec<(String, clap::Command)> {
    let shown = |command: &&clap::Command| command.get_name() != "help" && !command.is_hide_set();
    let below = command.get_subcommands().filter(shown);
    let below = below.flat_map(|command| pages(command, &format!("{name}-{}", command.get_name())));
    below.chain([(name.to_owned(), command.clone())]).collect()
}
