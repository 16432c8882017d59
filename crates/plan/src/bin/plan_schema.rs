//! Prints the JSON schema of the plan; `tools/gen_plan.py` writes it to `schema/plan.schema.json`.

#![allow(clippy::print_stdout, reason = "a command line tool")]

fn main() -> Result<(), serde_json::Error> {
    let schema = schemars::schema_for!(sanlab_plan::Plan);
    println!("{}", serde_json::to_string_pretty(&schema)?);
    Ok(())
}
