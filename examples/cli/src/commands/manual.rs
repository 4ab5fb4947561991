//! `completions` and `man`: what shells and manuals know of the command, from the
//! declaration of its arguments.

use std::io::Write;
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;

use crate::arguments::Arguments;
use crate::failure::{Failure, Outcome, exit};
use crate::lines::counted;
use crate::output::{Line, Look, Output};

pub(crate) fn completions(shell: Shell, output: &mut Output) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "recallite", &mut script);
    output.document(&String::from_utf8_lossy(&script));
    Ok(())
}

pub(crate) fn man(folder: Option<&Path>, output: &mut Output) -> Outcome {
    let mut page = Vec::new();
    first_page(&mut page).map_err(|error| Failure::said(format!("the manual: {error}")))?;
    let Some(folder) = folder else {
        output.document(&String::from_utf8_lossy(&page));
        return Ok(());
    };
    let failed = |error: std::io::Error| Failure::io(folder, &error);
    clap_mangen::generate_to(Arguments::command(), folder).map_err(failed)?;
    // The page of the whole command again, with its exit codes.
    std::fs::write(folder.join("recallite.1"), page).map_err(failed)?;
    let pages = pages(&Arguments::command());
    if output.is_json() {
        output.json(&json!({ "folder": folder, "pages": pages }));
        return Ok(());
    }
    let what = counted(pages, "page", "pages");
    let line = Line::new().add(Look::Good, format_args!("wrote {what}"));
    output.line(line.plain(format_args!(" to {}", folder.display())));
    Ok(())
}

/// The page of the whole command.
fn first_page(to: &mut dyn Write) -> std::io::Result<()> {
    let man = Man::new(Arguments::command()).manual("Recallite");
    man.render_title(to)?;
    man.render_name_section(to)?;
    man.render_synopsis_section(to)?;
    man.render_description_section(to)?;
    man.render_options_section(to)?;
    man.render_subcommands_section(to)?;
    writeln!(to, ".SH \"EXIT STATUS\"")?;
    for (code, meaning) in exit::ALL {
        writeln!(to, ".TP\n{code}\n{}", meaning.replace('-', "\\-"))?;
    }
    man.render_version_section(to)
}

/// How many pages a command and those below it have.
fn pages(command: &clap::Command) -> u64 {
    let below = command.get_subcommands().filter(|it| !it.is_hide_set());
    1 + below.map(pages).sum::<u64>()
}
