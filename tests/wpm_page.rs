use migopt::cluster::SourceText;
use migopt::mig::*;
use migopt::model::{Instance, wpm};
#[test]
fn probe() {
    for board in catalogue().boards() {
        let ok = check_bin_view(board);
        let masks = occupancy_masks(board);
        let full = board.full_limits();
        let differ = masks
            .iter()
            .filter(|m| partition_fill_table(board, **m, &full) != fill_table(board, **m, &full))
            .count();
        println!(
            "{} slots {} compute {} limits {:?} binview {} masks {} differ-at-full-limits {} patterns {}",
            board.name(),
            board.slots(),
            board.compute(),
            board.limits().iter().map(|l| (l.name.clone(), l.capacity, l.usage.clone())).collect::<Vec<_>>(),
            ok.as_ref().err().map(|e| e.to_string()).unwrap_or("ok".into()),
            masks.len(),
            differ,
            patterns(board).len()
        );
    }
    let board = catalogue().boards().iter().find(|b| b.name() == "A100-80GB").unwrap();
    for use_case in
        [wpm::UseCase::Joint, wpm::UseCase::Initial, wpm::UseCase::Compaction, wpm::UseCase::Reconfiguration]
    {
        for gpus in [8, 80, 8000, 100_000] {
            if gpus > 8000 && use_case != wpm::UseCase::Joint {
                continue;
            }
            let t = std::time::Instant::now();
            let file = wpm::generate(board, &wpm::GeneratorOptions { gpus, use_case, ..Default::default() });
            let text = serde_json::to_string(&file).unwrap();
            let t1 = t.elapsed();
            let instance = Instance::parse(SourceText::new("x", text)).unwrap();
            let problem = instance.wpm_problem().unwrap();
            let t2 = t.elapsed();
            let f = wpm::build(&problem, "compact").unwrap();
            println!(
                "{gpus} {use_case} {:?} {:?} {:?} {:?}",
                f.program().sizes(),
                f.program().row_families(),
                f.program().column_families(),
                (t1, t2, t.elapsed())
            );
            if gpus <= 80 {
                println!(
                    "   printed {:?}",
                    wpm::build(&problem, "printed").map(|f| f.program().sizes()).ok()
                );
                println!(
                    "   xidx {:?}",
                    wpm::build(&problem, "exact-index").map(|f| f.program().sizes()).ok()
                );
            }
        }
    }
}
