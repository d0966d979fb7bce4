//! What the terminal can show: its width, colours, the symbols of its encoding.

use support::cli::{BAD_INPUT, PROVED, executable, instance, migopt, read, run, without_terminal_settings};

/// What `migopt show` draws of eight GPUs, with flags and in an environment.
fn shown(flags: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = migopt();
    command.args(["show", &instance("eight-gpus")]).args(flags).envs(environment.iter().copied());
    read(command.output().unwrap()).stdout
}

/// The same in a terminal of so many columns, which `script` provides.
fn in_terminal(columns: u32, flags: &str, environment: &[(&str, &str)]) -> String {
    let (program, path) = (executable().display().to_string(), instance("eight-gpus"));
    // The shell between sets COLUMNS anew.
    let set: String = environment.iter().map(|(name, value)| format!("{name}={value} ")).collect();
    let line = format!("stty rows 40 cols {columns} && env {set}'{program}' show '{path}' {flags}");
    let mut command = without_terminal_settings("script");
    command.env("TERM", "xterm-256color");
    let output = command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).output();
    let output = output.expect("`script` is part of util-linux");
    let text = read(output);
    assert_eq!(text.code, Some(PROVED), "{text:?}");
    text.stdout
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or(0)
}

fn is_coloured(text: &str) -> bool {
    text.contains("\u{1b}[")
}

#[test]
fn the_width_is_that_of_the_terminal_unless_columns_are_asked_for() {
    let (narrow, wide) = (in_terminal(60, "--color never", &[]), in_terminal(200, "--color never", &[]));
    assert!((50..=60).contains(&widest(&narrow)), "{narrow}");
    assert!(widest(&wide) > widest(&shown(&[], &[])), "{wide}");
    // Names that do not fit beside the slots of a narrow terminal do in a wide one.
    let names = "run-4, run-3, run-5";
    assert!(wide.contains(names) && !narrow.contains(names), "{wide}{narrow}");
    assert_eq!(in_terminal(200, "--color never", &[("COLUMNS", "60")]), narrow);
    assert!(widest(&shown(&[], &[("COLUMNS", "72")])) <= 72);
}

#[test]
fn columns_that_no_drawing_fits_are_taken_for_the_least_width_and_nonsense_for_nothing() {
    assert_eq!(shown(&[], &[("COLUMNS", "7")]), shown(&[], &[("COLUMNS", "40")]));
    assert!((30..=40).contains(&widest(&shown(&[], &[("COLUMNS", "40")]))));
    for nonsense in ["0", "-5", "wide", ""] {
        assert_eq!(shown(&[], &[("COLUMNS", nonsense)]), shown(&[], &[]), "{nonsense}");
    }
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    assert!(!is_coloured(&shown(&[], &[])), "a pipe");
    assert!(is_coloured(&in_terminal(100, "", &[])), "a terminal");
    assert!(!is_coloured(&in_terminal(100, "", &[("NO_COLOR", "1")])));
    assert!(is_coloured(&in_terminal(100, "", &[("NO_COLOR", "")])), "an empty NO_COLOR asks for nothing");
    assert!(!is_coloured(&in_terminal(100, "", &[("TERM", "dumb")])));
    assert!(!is_coloured(&in_terminal(100, "--color never", &[])));
    let asked = [("NO_COLOR", "1"), ("TERM", "dumb")];
    assert!(
        is_coloured(&shown(&["--color", "always"], &asked)),
        "what is asked for goes before the environment"
    );
    run(&["show", &instance("eight-gpus"), "--color", "sometimes"], BAD_INPUT);
}

#[test]
fn locales_without_unicode_get_ascii() {
    let unicode = shown(&[], &[]);
    assert!(unicode.contains('│') && unicode.contains('·'));
    for environment in [
        &[("LC_ALL", "C")][..],
        &[("LC_CTYPE", "POSIX"), ("LANG", "en_US.UTF-8")],
        &[("LANG", "de_DE.ISO-8859-1")],
    ] {
        let ascii = shown(&[], environment);
        assert!(ascii.is_ascii() && ascii.contains('|'), "{environment:?}: {ascii}");
        assert_eq!(widest(&ascii), widest(&unicode));
    }
    for environment in
        [&[("LC_ALL", "C.UTF-8")][..], &[("LANG", "de_DE.utf8")], &[("LC_ALL", ""), ("LANG", "en_GB.UTF-8")]]
    {
        assert_eq!(shown(&[], environment), unicode, "{environment:?}");
    }
    assert_eq!(shown(&["--ascii"], &[("LANG", "C.UTF-8")]), shown(&[], &[("LC_ALL", "C")]));
}
