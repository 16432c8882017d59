//! Simulates a plan from a file: `run_plan PLAN.json [--stats] [--every-event]`.
//!
//! Without `--stats` it prints the tables' names and sizes, with it the summary as one JSON object.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool"
)]

use std::process::ExitCode;

use sanlab_sim::{Control, RunError, RunOptions, run_json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let Some(path) = arguments
        .iter()
        .find(|argument| !argument.starts_with("--"))
    else {
        eprintln!("usage: run_plan PLAN.json [--stats] [--every-event]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let options = RunOptions {
        every_event: has("--every-event"),
        ..RunOptions::default()
    };
    match run_json(&text, &options, &Control::default()) {
        Ok(outcome) if has("--stats") => match serde_json::to_string(&outcome.summary) {
            Ok(json) => println!("{json}"),
            Err(error) => eprintln!("{error}"),
        },
        Ok(outcome) => {
            for table in &outcome.tables {
                println!("{:20} {:6} rows", table.name, table.len());
            }
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            let is_plan = matches!(error, RunError::Plan(_));
            return ExitCode::from(if is_plan { 2 } else { 1 });
        }
    }
    ExitCode::SUCCESS
}
