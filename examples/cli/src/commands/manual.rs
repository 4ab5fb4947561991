//! `completions` and `man`: shell completions and manual pages, generated from the declaration of
//! the arguments.

use std::io::Write;
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;

use crate::arguments::Arguments;
use crate::exit;
use crate::failure::{Failure, Outcome};
use crate::lines::counted;
use crate::output::{Line, Look, Output, path_json};

pub(crate) fn completions(shell: Shell, output: &mut Output) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "recallite", &mut script);
    output.document(&String::from_utf8_lossy(&script));
    Ok(())
}

pub(crate) fn man(folder: Option<&Path>, output: &mut Output) -> Outcome {
    let mut page = Vec::new();
    first_page(&mut page)
        .map_err(|error| Failure::said(format!("cannot write the manual: {error}")))?;
    let Some(folder) = folder else {
        output.document(&String::from_utf8_lossy(&page));
        return Ok(());
    };
    let failed = |error: std::io::Error| Failure::io(folder, &error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Arguments::command(), folder).map_err(failed)?;
    // Overwrites the page of the whole command with one that lists the exit codes.
    std::fs::write(folder.join("recallite.1"), page).map_err(failed)?;
    let mut pages = vec!["recallite".to_owned()];
    for command in below(&Arguments::command(), "recallite") {
        let page = folder.join(format!("{command}.1"));
        let mut options = std::fs::OpenOptions::new();
        let mut page = options.append(true).open(page).map_err(failed)?;
        exit_section(&mut page).map_err(failed)?;
        pages.push(command);
    }
    let pages = pages.len() as u64;
    if output.is_json() {
        output.json(&json!({ "folder": path_json(folder), "pages": pages }));
        return Ok(());
    }
    let what = counted(pages, "page", "pages");
    let line = Line::new().add(Look::Good, format_args!("wrote {what}"));
    output.line(line.plain(format_args!(" to {}", folder.display())));
    Ok(())
}

/// The manual page of the whole command.
fn first_page(to: &mut dyn Write) -> std::io::Result<()> {
    let man = Man::new(Arguments::command()).manual("Recallite");
    man.render_title(to)?;
    man.render_name_section(to)?;
    man.render_synopsis_section(to)?;
    man.render_description_section(to)?;
    man.render_options_section(to)?;
    man.render_subcommands_section(to)?;
    exit_section(to)?;
    man.render_version_section(to)
}

/// The section about exit codes.
fn exit_section(to: &mut dyn Write) -> std::io::Result<()> {
    writeln!(to, ".SH \"EXIT STATUS\"")?;
    for (code, meaning) in exit::ALL {
        writeln!(to, ".TP\n{code}\n{}", meaning.replace('-', "\\-"))?;
    }
    Ok(())
}

/// The names of the pages of a command's subcommands.
fn below(command: &clap::Command, name: &str) -> Vec<String> {
    let mut names = Vec::new();
    for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        let own = format!("{name}-{}", command.get_name());
        names.push(own.clone());
        names.extend(below(command, &own));
    }
    names
}
