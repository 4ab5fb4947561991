//! The memory in a coding agent and out of it again: what else is configured there
//! stays, byte for byte where nothing of it is ours.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::path::Path;

use common::{World, program};
use serde_json::{Value, json};

fn json_file(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Every command of a hook or server, with its arguments.
fn commands(value: &Value, found: &mut Vec<(String, Vec<String>)>) {
    if let Some(command) = value["command"].as_str() {
        let arguments = value["args"].as_array().into_iter().flatten();
        let arguments = arguments.map(|a| a.as_str().unwrap().to_owned()).collect();
        found.push((command.to_owned(), arguments));
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| commands(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| commands(field, found)),
        _ => {}
    }
}

#[test]
fn claude_code_gets_a_folder_of_ours_and_nothing_else_changes() {
    let world = World::new();
    let settings = world.write("home/.claude/settings.json", "{ broken, \"hooks\": }");
    let neighbour = world.write("home/.claude/skills/other/SKILL.md", "other");
    let said = world.run(&["install", "claude-code"]).ok();
    assert!(said.starts_with("installed in claude-code"), "{said}");
    let plugin = world.home().join(".claude/skills/recallite");
    assert_eq!(
        json_file(&plugin.join(".claude-plugin/plugin.json"))["name"],
        "recallite"
    );
    let hooks = json_file(&plugin.join("hooks/hooks.json"));
    let events: Vec<&String> = hooks["hooks"].as_object().unwrap().keys().collect();
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "Stop",
        "SessionEnd",
    ] {
        assert!(events.iter().any(|known| *known == event), "{event}");
    }
    let mut found = Vec::new();
    commands(&hooks, &mut found);
    commands(&json_file(&plugin.join(".mcp.json")), &mut found);
    for (command, arguments) in &found {
        assert_eq!(command, program());
        // Exec form: the arguments are a list, and the program knows them.
        let mut help: Vec<&str> = arguments.iter().map(String::as_str).collect();
        help.push("--help");
        assert_eq!(world.run(&help).code, 0, "{help:?}");
    }
    world.run(&["install", "claude-code"]).ok();
    let removed = world.run(&["uninstall", "claude-code"]).ok();
    assert!(removed.contains("stored memories are kept"), "{removed}");
    assert!(!plugin.exists());
    assert_eq!(
        std::fs::read_to_string(settings).unwrap(),
        "{ broken, \"hooks\": }"
    );
    assert_eq!(std::fs::read_to_string(neighbour).unwrap(), "other");
    assert!(
        world
            .run(&["uninstall", "claude-code"])
            .ok()
            .contains("not installed")
    );
}

#[test]
fn what_a_user_put_into_our_folder_stays() {
    let world = World::new();
    world.run(&["install", "claude-code"]).ok();
    let own = world.write("home/.claude/skills/recallite/commands/own.md", "mine");
    world.run(&["uninstall", "claude-code"]).ok();
    assert!(own.exists());
    let other = world.write(
        "home/.gemini/extensions/recallite/gemini-extension.json",
        "{\"name\": \"somebody-else\"}",
    );
    let ran = world.run(&["install", "gemini-cli"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("was not installed by recallite"),
        "{ran:?}"
    );
    assert!(
        std::fs::read_to_string(other)
            .unwrap()
            .contains("somebody-else")
    );
}

/// The output of a program that was just written: a process that another test began
/// meanwhile may hold the file open for writing until it runs its own program.
fn output_of_copy(command: &mut std::process::Command) -> std::process::Output {
    loop {
        match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            output => return output.unwrap(),
        }
    }
}

/// Its hooks would fail with an error at each prompt when the cache is cleared.
#[test]
fn an_agent_is_not_given_a_program_that_will_vanish() {
    for folder in [
        ".npm/_npx/f00/node_modules",
        ".cache/pnpm/dlx/f00/node_modules",
        "tmp/bunx-1000-recallite@latest/node_modules",
        "tmp/xfs-f00/dlx-1/node_modules",
    ] {
        is_not_installed_from(folder);
    }
}

/// A disk or a folder of a person's may be called like one of a cache.
#[test]
fn a_folder_that_is_called_like_a_cache_is_none() {
    for folder in ["xfs-data/bin", "dlx/bin"] {
        let ran = installed_from(&World::new(), folder);
        assert_eq!(ran.code, 0, "{folder}: {ran:?}");
    }
}

/// Installs in Claude Code, with a copy of the program in this folder.
fn installed_from(world: &World, folder: &str) -> common::Ran {
    let copy = world.write(&format!("home/{folder}/recallite"), "");
    std::fs::copy(program(), &copy).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let plain = world.command_in("shop", &["install", "claude-code"]);
    let mut command = std::process::Command::new(copy);
    command
        .args(plain.get_args())
        .env_clear()
        .env("HOME", world.home());
    common::ran(output_of_copy(&mut command))
}

fn is_not_installed_from(folder: &str) {
    let world = World::new();
    let ran = installed_from(&world, folder);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.err.contains("npm install --global recallite"),
        "{ran:?}"
    );
    assert!(!world.home().join(".claude").exists());
}

#[test]
fn gemini_cli_gets_an_extension() {
    let world = World::new();
    world.run(&["install", "gemini-cli"]).ok();
    let folder = world.home().join(".gemini/extensions/recallite");
    let mut found = Vec::new();
    commands(&json_file(&folder.join("hooks/hooks.json")), &mut found);
    assert_eq!(found.len(), 6);
    for (command, _) in found {
        let program = program();
        assert!(command.starts_with(&format!("{program} hook")), "{command}");
    }
    world.run(&["uninstall", "gemini-cli"]).ok();
    assert!(!folder.exists());
}

/// A prompt that a host gives to the hook of its configuration, without the variables of the
/// terminal in which the memory was installed.
#[cfg(unix)]
fn tell(world: &World, (command, arguments): &(String, Vec<String>), session: &str) {
    let plain = world.command_in("shop", &[]);
    let mut told = std::process::Command::new("/bin/sh");
    // A line is for the shell; with arguments a program is started as it is.
    let script = match arguments.is_empty() {
        true => command.as_str(),
        false => "exec \"$0\" \"$@\"",
    };
    told.arg("-c").arg(script).arg(command).args(arguments);
    told.env_clear().env("HOME", world.home());
    told.current_dir(plain.get_current_dir().unwrap());
    told.stdout(std::process::Stdio::piped());
    told.stderr(std::process::Stdio::piped());
    let input = json!({"session_id": session, "hook_event_name": "UserPromptSubmit",
        "cwd": world.project("shop"), "prompt": format!("Said in {session}.")});
    let ran = common::with_input(told, input.to_string().as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
}

/// An agent asks the memory with which it was installed, wherever that was said.
#[cfg(unix)]
#[test]
fn an_agent_is_given_the_memory_that_was_named() {
    let world = World::new();
    let settings = world.write("my settings.json", "{}");
    let store = world.project("shop").join("an odd 'store'");
    let named = ["--store", "an odd 'store'", "--settings"];
    let hooks = [
        ("claude-code", ".claude/skills/recallite/hooks/hooks.json"),
        ("codex", ".codex/hooks.json"),
        (
            "gemini-cli",
            ".gemini/extensions/recallite/hooks/hooks.json",
        ),
    ];
    for (host, file) in hooks {
        let arguments = [&named[..], &[settings.to_str().unwrap(), "install", host]].concat();
        let said = world.run(&arguments).ok();
        assert!(said.contains("with --store "), "{said}");
        let mut found = Vec::new();
        commands(&json_file(&world.home().join(file)), &mut found);
        for call in &found {
            let (command, arguments) = call;
            let all = format!("{command} {}", arguments.join(" "));
            assert!(all.contains("my settings.json"), "{all}");
        }
        tell(&world, &found[0], host);
    }
    world
        .run(&["--store", "an odd 'store'", "install", "cursor"])
        .ok();
    let cursor = json_file(&world.home().join(".cursor/mcp.json"));
    let args = &cursor["mcpServers"]["recallite"]["args"];
    assert_eq!(args, &json!(["mcp", "--store", store]), "{cursor}");
    let codex = std::fs::read_to_string(world.home().join(".codex/config.toml")).unwrap();
    assert!(codex.contains("an odd 'store'"), "{codex}");
    let skill = world
        .home()
        .join(".claude/skills/recallite/commands/search.md");
    let skill = std::fs::read_to_string(skill).unwrap();
    assert!(skill.contains("Add `--store "), "{skill}");

    let in_it = [&named[..1], &[store.to_str().unwrap(), "history"]].concat();
    let history = world.run(&in_it).ok();
    for (host, _) in hooks {
        assert!(history.contains(&format!("Said in {host}.")), "{history}");
        // Known as ours for all its options.
        let removed = world.run(&["uninstall", host]).ok();
        assert!(removed.contains("stored memories are kept"), "{removed}");
    }
    assert!(!world.home().join(".codex/hooks.json").exists());
}

const CODEX_HOOKS: &str = r#"{
  "description": "mine",
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] }
    ]
  }
}
"#;
const CODEX_CONFIG: &str =
    "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"other\" # keep\n";

#[test]
fn codex_keeps_its_other_hooks_and_servers() {
    let world = World::new();
    let hooks = world.write("home/.codex/hooks.json", CODEX_HOOKS);
    let config = world.write("home/.codex/config.toml", CODEX_CONFIG);
    // Twice: the second time changes nothing.
    world.run(&["install", "codex"]).ok();
    let once = std::fs::read_to_string(&hooks).unwrap();
    world.run(&["install", "codex"]).ok();
    assert_eq!(
        json_file(&hooks),
        serde_json::from_str::<Value>(&once).unwrap()
    );
    let value = json_file(&hooks);
    assert_eq!(
        value["hooks"]["Stop"].as_array().unwrap().len(),
        2,
        "{value}"
    );
    assert_eq!(value["hooks"]["Stop"][0]["hooks"][0]["command"], "say done");
    assert_eq!(value["description"], "mine");
    // Codex clamps a longer one, and says so at every start.
    assert_eq!(value["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"], 3);
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.starts_with(CODEX_CONFIG), "{text}");
    assert!(text.contains("[mcp_servers.recallite]"), "{text}");
    world.run(&["uninstall", "codex"]).ok();
    assert_eq!(
        json_file(&hooks),
        serde_json::from_str::<Value>(CODEX_HOOKS).unwrap()
    );
    assert_eq!(
        std::fs::read_to_string(&config).unwrap().trim(),
        CODEX_CONFIG.trim()
    );
}

#[test]
fn a_configuration_keeps_its_line_endings_and_its_mark() {
    let world = World::new();
    let before = format!("\u{feff}{}", CODEX_CONFIG.replace('\n', "\r\n"));
    let config = world.write("home/.codex/config.toml", &before);
    world.run(&["install", "codex"]).ok();
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.starts_with(&before), "{text:?}");
    assert!(text.contains("[mcp_servers.recallite]\r\n"), "{text:?}");
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text:?}");
    world.run(&["uninstall", "codex"]).ok();
    let text = std::fs::read_to_string(&config).unwrap();
    assert_eq!(text.trim_end(), before.trim_end());
}

#[test]
fn codex_is_set_up_where_nothing_was() {
    let world = World::new();
    world.run(&["install", "codex"]).ok();
    let hooks = json_file(&world.home().join(".codex/hooks.json"));
    let events = |hooks: &Value| {
        let events = hooks["hooks"].as_object().unwrap();
        events.keys().cloned().collect::<Vec<_>>()
    };
    let plugin = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/plugins/codex/hooks/hooks.json"
    );
    assert_eq!(events(&hooks), events(&json_file(plugin.as_ref())));
    assert!(events(&hooks).contains(&"SessionEnd".to_owned()), "{hooks}");
    world.run(&["uninstall", "codex"]).ok();
    // What was made for it is gone again.
    for file in ["hooks.json", "config.toml"] {
        assert!(!world.home().join(".codex").join(file).exists(), "{file}");
    }
    world.run(&["install", "cursor"]).ok();
    world.run(&["uninstall", "cursor"]).ok();
    assert!(!world.home().join(".cursor/mcp.json").exists());
}

/// The hooks are ours whatever the folder of the program is called.
#[cfg(unix)]
#[test]
fn a_program_in_a_folder_called_hooks_is_installed_once() {
    let world = World::new();
    let program = world.write("my hooks/bin/recallite", "");
    std::fs::copy(common::program(), &program).unwrap();
    let run = |arguments: &[&str]| {
        let plain = world.command_in("shop", arguments);
        let mut command = std::process::Command::new(&program);
        command.args(plain.get_args()).env_clear();
        command.env("HOME", world.home());
        common::ran(output_of_copy(&mut command)).ok()
    };
    for (host, file, events) in [
        ("codex", ".codex/hooks.json", 6),
        ("vscode", ".copilot/hooks/recallite.json", 4),
    ] {
        run(&["install", host]);
        run(&["install", host]);
        let file = world.home().join(file);
        let mut found = Vec::new();
        commands(&json_file(&file), &mut found);
        assert_eq!(found.len(), events, "{found:?}");
        run(&["uninstall", host]);
        assert!(!file.exists(), "{host}");
    }
}

/// Some editors put a mark before the text; Codex may have its hooks switched off.
#[test]
fn marks_and_switches_of_a_configuration_are_seen() {
    let world = World::new();
    let before = "\u{feff}{\n  \"mcpServers\": { \"other\": { \"url\": \"http://x\" } }\n}\n";
    let cursor = world.write("home/.cursor/mcp.json", before);
    world.run(&["install", "cursor"]).ok();
    let text = std::fs::read_to_string(&cursor).unwrap();
    assert!(
        text.starts_with("\u{feff}{") && text.contains("recallite"),
        "{text}"
    );
    world.run(&["uninstall", "cursor"]).ok();
    assert!(std::fs::read_to_string(&cursor).unwrap().contains("other"));

    world.write("home/.codex/config.toml", "[features]\nhooks = false\n");
    let said = world.run(&["install", "codex"]).ok();
    assert!(said.contains("hooks are turned off"), "{said}");
    let doctor = world.run(&["doctor"]).ok();
    assert!(doctor.contains("hooks are turned off"), "{doctor}");
}

/// Somebody wrote an entry of our name by hand: it is repaired, and the user is told what it was.
#[test]
fn an_entry_that_called_something_else_is_told() {
    let world = World::new();
    let cursor = world.write(
        "home/.cursor/mcp.json",
        "{ \"mcpServers\": { \"recallite\": { \"command\": \"npx\", \"args\": [\"my recallite\"], \
         \"env\": { \"TOKEN\": \"t0ken\" } } } }",
    );
    let said = world.run(&["install", "cursor"]).ok();
    let was = "the MCP server named recallite was: npx 'my recallite'";
    assert!(said.contains(was) && !said.contains("t0ken"), "{said}");
    let entry = &json_file(&cursor)["mcpServers"]["recallite"];
    assert_eq!(entry["env"]["TOKEN"], "t0ken", "{entry}");
    let again = world.run(&["install", "cursor"]).ok();
    assert!(!again.contains("was:"), "{again}");

    // An entry without a program would have both an address and a command.
    let remote = "{ \"mcpServers\": { \"recallite\": { \"url\": \"http://x\" } } }";
    world.write("home/.cursor/mcp.json", remote);
    let said = world.run(&["install", "cursor"]).ok();
    assert!(said.contains("http://x"), "{said}");
    let entry = &json_file(&cursor)["mcpServers"]["recallite"];
    assert!(entry["url"].is_null() && entry["command"].is_string());

    let config = "[mcp_servers.recallite]\ncommand = \"uvx\"\nargs = [\"recallite\"]\n";
    world.write("home/.codex/config.toml", config);
    let said = world.run(&["install", "codex", "--json"]).json();
    assert_eq!(said["replaced"], "uvx recallite", "{said}");
    let again = world.run(&["install", "codex", "--json"]).json();
    assert!(again["replaced"].is_null(), "{again}");
}

/// The servers of VS Code, in the user's home.
const VSCODE_SERVERS: &str = if cfg!(target_os = "macos") {
    "Library/Application Support/Code/User/mcp.json"
} else {
    ".config/Code/User/mcp.json"
};

#[test]
fn vscode_gets_a_file_of_hooks_and_an_mcp_server() {
    let world = World::new();
    let before = "{\n  // mine\n  \"servers\": { \"other\": { \"url\": \"http://x\" } }\n}\n";
    let servers = world.write(&format!("home/{VSCODE_SERVERS}"), before);
    world.run(&["install", "vscode"]).ok();
    world.run(&["install", "vscode"]).ok();
    let text = std::fs::read_to_string(&servers).unwrap();
    assert!(
        text.contains("// mine") && text.contains("\"other\""),
        "{text}"
    );
    assert_eq!(text.matches("\"recallite\"").count(), 1, "{text}");
    let file = world.home().join(".copilot/hooks/recallite.json");
    let hooks = json_file(&file);
    let events: Vec<&String> = hooks["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(
        events,
        ["PostToolUse", "SessionStart", "Stop", "UserPromptSubmit"]
    );
    let mut found = Vec::new();
    commands(&hooks, &mut found);
    assert_eq!(found.len(), 4);
    let program = program();
    assert!(
        found
            .iter()
            .all(|(command, _)| command.starts_with(&format!("{program} hook")))
    );
    let removed = world.run(&["uninstall", "vscode"]).ok();
    assert!(removed.contains("stored memories are kept"), "{removed}");
    assert!(!file.exists());
    let text = std::fs::read_to_string(&servers).unwrap();
    assert!(
        text.contains("\"other\"") && !text.contains("recallite"),
        "{text}"
    );

    // A file of this name that does something else is somebody's own.
    let own = "{ \"hooks\": { \"Stop\": [{ \"type\": \"command\", \"command\": \"say done\" }] } }";
    world.write("home/.copilot/hooks/recallite.json", own);
    let ran = world.run(&["install", "vscode"]);
    assert!(
        ran.code == 1 && ran.err.contains("was not installed by recallite"),
        "{ran:?}"
    );
    assert!(
        !std::fs::read_to_string(&servers)
            .unwrap()
            .contains("recallite")
    );
    world.run(&["uninstall", "vscode"]).ok();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), own);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_named() {
    let world = World::new();
    std::os::unix::fs::symlink("/nowhere/claude", world.home().join(".claude")).unwrap();
    let ran = world.run(&["install", "claude-code"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.err
            .contains(".claude links to a folder that does not exist"),
        "{ran:?}"
    );
    // A configuration that is kept elsewhere, on a drive that is not there now.
    for (host, file, other) in [
        ("cursor", ".cursor/mcp.json", None),
        ("codex", ".codex/config.toml", Some(".codex/hooks.json")),
    ] {
        let link = world.home().join(file);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/nowhere/kept", &link).unwrap();
        let ran = world.run(&["install", host]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let said = format!("{file} links to a file that does not exist");
        assert!(ran.err.contains(&said), "{ran:?}");
        assert!(link.is_symlink());
        assert!(other.is_none_or(|other| !world.home().join(other).exists()));
    }
}

/// What an agent calls is looked at, because the agent tells nobody.
#[cfg(unix)]
#[test]
fn the_doctor_tells_of_agents_whose_program_is_gone() {
    let world = World::new();
    world.run(&["remember", "x"]).ok();
    let none = world.run(&["doctor"]).ok();
    assert!(none.contains("not installed in any agent"), "{none}");
    let program = world.write("bin/recallite", "");
    std::fs::copy(common::program(), &program).unwrap();
    let hosts = ["claude-code", "codex", "gemini-cli", "cursor", "vscode"];
    for host in hosts {
        let plain = world.command_in("shop", &["install", host]);
        let mut command = std::process::Command::new(&program);
        command
            .args(plain.get_args())
            .env_clear()
            .env("HOME", world.home());
        assert!(output_of_copy(&mut command).status.success(), "{host}");
    }
    let doctor = world.run(&["doctor"]).ok();
    for host in hosts {
        assert!(doctor.contains(&format!("{host} calls ")), "{doctor}");
    }
    let manifest = world
        .home()
        .join(".gemini/extensions/recallite/gemini-extension.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let version = concat!("\"version\": \"", env!("CARGO_PKG_VERSION"), "\"");
    assert!(text.contains(version), "{text}");
    std::fs::write(&manifest, text.replace(version, "\"version\": \"0.0.1\"")).unwrap();
    let old = world.run(&["doctor"]).ok();
    assert!(old.contains("gemini-cli has plugin version 0.0.1"), "{old}");

    std::fs::rename(&program, world.path().join("bin/moved")).unwrap();
    let ran = world.run(&["doctor"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    for host in hosts {
        assert!(
            ran.out
                .contains(&format!("run `recallite install {host}` again")),
            "{ran:?}"
        );
        world.run(&["install", host]).ok();
    }
    world.run(&["doctor"]).ok();
}

/// What an agent no longer calls, it forgets without a word.
#[test]
fn the_doctor_looks_at_hooks_and_at_files_that_cannot_be_read() {
    let world = World::new();
    world.run(&["remember", "x"]).ok();
    let doctor = || world.run(&["doctor"]);
    let file = |name: &str| world.home().join(name);
    for host in ["claude-code", "codex", "gemini-cli", "vscode"] {
        world.run(&["install", host]).ok();
    }
    assert!(!doctor().ok().contains("does not have"));
    for (host, name, event) in [
        (
            "claude-code",
            ".claude/skills/recallite/hooks/hooks.json",
            "SessionEnd",
        ),
        ("codex", ".codex/hooks.json", "SubagentStop"),
        (
            "gemini-cli",
            ".gemini/extensions/recallite/hooks/hooks.json",
            "BeforeAgent",
        ),
        ("vscode", ".copilot/hooks/recallite.json", "Stop"),
    ] {
        let kept = std::fs::read_to_string(file(name)).unwrap();
        // One event, then all, then another program, then no JSON.
        let mut hooks: Value = serde_json::from_str(&kept).unwrap();
        hooks["hooks"].as_object_mut().unwrap().remove(event);
        std::fs::write(file(name), hooks.to_string()).unwrap();
        let lacking = format!("{host} does not have the hook of {event}\n");
        let said = doctor().ok();
        assert!(said.contains(&lacking), "{said}");
        let again = format!("run `recallite install {host}` again");
        assert!(said.contains(&again), "{said}");
        std::fs::remove_file(file(name)).unwrap();
        let said = doctor().ok();
        assert!(
            said.contains(&format!("{host} does not have the hook")),
            "{said}"
        );
        let program = program();
        std::fs::write(file(name), kept.replace(program, "/gone/recallite")).unwrap();
        let ran = doctor();
        let gone = format!("{host} calls /gone/recallite, which does not exist");
        assert!(ran.code == 5 && ran.out.contains(&gone), "{ran:?}");
        std::fs::write(file(name), "{ nonsense").unwrap();
        let said = doctor().ok();
        let unreadable = format!("{host}: cannot read {}", file(name).display());
        assert!(said.contains(&unreadable), "{said}");
        std::fs::write(file(name), kept).unwrap();
    }
    std::fs::write(file(".codex/config.toml"), "a = 1\nmodel = = 1").unwrap();
    let said = doctor().ok();
    assert!(
        said.contains("config.toml (not valid TOML at line 2)"),
        "{said}"
    );
}

/// An agent that has the plugin needs no installation; with both, each hook runs twice.
#[test]
fn the_doctor_knows_the_plugins_that_agents_install_themselves() {
    let world = World::new();
    world.run(&["remember", "x"]).ok();
    let doctor = || world.run(&["doctor"]).ok();
    let settings = |is_on: bool| {
        let plugins = json!({ "other@x": true, "recallite@skills-dir": true,
            "recallite@recallite": is_on });
        let settings = json!({ "enabledPlugins": plugins });
        world.write("home/.claude/settings.json", &settings.to_string());
        let config = format!("[plugins.\"recallite@recallite\"]\nenabled = {is_on}\n");
        world.write("home/.codex/config.toml", &config);
    };
    settings(false);
    assert!(doctor().contains("not installed in any agent"));
    settings(true);
    let said = doctor();
    for host in ["claude-code", "codex"] {
        assert!(said.contains(&format!("{host} has the plugin\n")), "{said}");
    }
    assert!(!said.contains("not installed"), "{said}");
    // The plugins call the program by its name.
    let by_name = "plugins of claude-code and codex call `recallite`, which is not on the PATH";
    assert!(said.contains(by_name), "{said}");
    let program = Path::new(program());
    let mut found = world.command_in("shop", &["doctor"]);
    found.env("PATH", program.parent().unwrap());
    let said = common::ran(found.output().unwrap()).ok();
    assert!(!said.contains("not on the PATH"), "{said}");
    for host in ["claude-code", "codex"] {
        world.run(&["install", host]).ok();
        let said = doctor();
        assert!(
            said.contains(&format!("{host} has the plugin and what")),
            "{said}"
        );
        assert!(
            said.contains(&format!("recallite uninstall {host}")),
            "{said}"
        );
        world.run(&["uninstall", host]).ok();
        assert!(doctor().contains(&format!("{host} has the plugin\n")));
    }
}

#[test]
fn cursor_keeps_its_other_servers_and_comments() {
    let world = World::new();
    let before = "{\n  // mine\n  \"mcpServers\": { \"other\": { \"url\": \"http://x\" } }\n}\n";
    let file = world.write("home/.cursor/mcp.json", before);
    world.run(&["install", "cursor"]).ok();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("// mine") && text.contains("\"other\""),
        "{text}"
    );
    assert!(text.contains("\"recallite\""), "{text}");
    world.run(&["uninstall", "cursor"]).ok();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("// mine") && text.contains("\"other\""),
        "{text}"
    );
    assert!(!text.contains("recallite"), "{text}");
}

/// A configuration that is kept elsewhere stays a link, to something that its agent can read.
#[cfg(unix)]
#[test]
fn what_is_left_of_a_linked_configuration_can_be_read() {
    for (host, file) in [
        ("cursor", ".cursor/mcp.json"),
        ("codex", ".codex/hooks.json"),
        ("codex", ".codex/config.toml"),
        ("vscode", ".copilot/hooks/recallite.json"),
        ("vscode", ".config/Code/User/mcp.json"),
    ] {
        let world = World::new();
        let kept = world.write(
            "dotfiles/kept",
            if file.ends_with("toml") { "" } else { "{}" },
        );
        let link = world.home().join(file);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        if file != ".copilot/hooks/recallite.json" {
            std::os::unix::fs::symlink(&kept, &link).unwrap();
            world.run(&["install", host]).ok();
        } else {
            world.run(&["install", host]).ok();
            std::fs::rename(&link, &kept).unwrap();
            std::os::unix::fs::symlink(&kept, &link).unwrap();
        }
        assert!(
            std::fs::read_to_string(&kept)
                .unwrap()
                .contains("recallite")
        );
        world.run(&["uninstall", host]).ok();
        assert!(link.is_symlink(), "{file}");
        match file.ends_with("toml") {
            true => assert_eq!(std::fs::read_to_string(&kept).unwrap().trim(), ""),
            false => assert!(json_file(&kept).is_object(), "{file}"),
        }
    }
}

/// Installing again, as the doctor advises, repairs only how we are called.
#[test]
fn what_a_user_set_for_our_server_stays() {
    let world = World::new();
    let config = "[mcp_servers.recallite]\nenabled = false # for now\ncommand = \"/old\" # ours\n\
                  args = []\nenv = { A = \"1\" }\n";
    let codex = world.write("home/.codex/config.toml", config);
    let cursor = world.write(
        "home/.cursor/mcp.json",
        "{ \"mcpServers\": { \"recallite\": {\n  // mine\n  \"disabled\": true,\n  \
         \"command\": \"/old\"\n} } }\n",
    );
    for host in ["codex", "cursor"] {
        world.run(&["install", host]).ok();
    }
    let program = program();
    let text = std::fs::read_to_string(codex).unwrap();
    for part in [
        "enabled = false # for now",
        "env = { A = \"1\" }",
        "# ours",
        "args = [\"mcp\", ",
        program,
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = std::fs::read_to_string(cursor).unwrap();
    for part in ["// mine", "\"disabled\": true", "\"mcp\"", program] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("/old"), "{text}");
}

/// Agents read the last of two entries with one name.
#[test]
fn an_entry_that_is_there_twice_is_repaired_and_removed() {
    let world = World::new();
    let twice = "{ \"mcpServers\": { \"recallite\": { \"command\": \"/old/recallite\" }, \"b\": {}, \
                 \"recallite\": { \"command\": \"/older/recallite\", \"env\": { \"A\": \"1\" } } } }";
    let file = world.write("home/.cursor/mcp.json", twice);
    let said = world.run(&["install", "cursor"]).ok();
    assert!(said.contains("was: /older/recallite"), "{said}");
    let servers = &json_file(&file)["mcpServers"];
    let program = program();
    assert_eq!(servers["recallite"]["command"], program, "{servers}");
    assert_eq!(servers["recallite"]["env"]["A"], "1", "{servers}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("/old/recallite"), "{text}");
    std::fs::write(&file, twice).unwrap();
    world.run(&["uninstall", "cursor"]).ok();
    assert_eq!(json_file(&file)["mcpServers"], json!({ "b": {} }));
}

/// Installing again changes no byte of what is there.
#[test]
fn a_second_installation_leaves_every_byte() {
    for (host, name, before) in [
        (
            "codex",
            ".codex/hooks.json",
            "{\"hooks\": {\"Stop\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]} ]}}",
        ),
        ("codex", ".codex/config.toml", CODEX_CONFIG),
        (
            "cursor",
            ".cursor/mcp.json",
            "{\"mcpServers\": { \"b\": {} } // b\n}",
        ),
        (
            "vscode",
            VSCODE_SERVERS,
            "{ \"servers\": {}, \"inputs\": [ ] }",
        ),
    ] {
        let world = World::new();
        let file = world.write(&format!("home/{name}"), before);
        world.run(&["install", host]).ok();
        let once = std::fs::read_to_string(&file).unwrap();
        assert!(once.contains("recallite"), "{once}");
        world.run(&["install", host]).ok();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), once, "{name}");
    }
}

/// A full disk or a kill may leave folders and a file that was never finished.
#[test]
fn an_installation_that_was_stopped_early_can_be_repeated() {
    for (host, folder, manifest) in [
        (
            "claude-code",
            "home/.claude/skills/recallite",
            ".claude-plugin/plugin.json",
        ),
        (
            "gemini-cli",
            "home/.gemini/extensions/recallite",
            "gemini-extension.json",
        ),
    ] {
        let world = World::new();
        let unfinished = world.write(&format!("{folder}/{manifest}.recallite-1"), "{");
        world.run(&["install", host]).ok();
        let finished = unfinished.with_file_name(Path::new(manifest).file_name().unwrap());
        assert!(finished.exists(), "{host}");
        let world = World::new();
        world.write(&format!("{folder}/notes.txt"), "mine");
        let ran = world.run(&["install", host]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.err.contains("was not installed by recallite"),
            "{ran:?}"
        );
    }
}

/// Everything in our folder can be written anew, so the doctor says that, and `install` does it.
#[test]
fn what_is_missing_or_damaged_in_our_folder_is_written_anew() {
    for (host, folder, manifest) in [
        (
            "claude-code",
            ".claude/skills/recallite",
            ".claude-plugin/plugin.json",
        ),
        (
            "gemini-cli",
            ".gemini/extensions/recallite",
            "gemini-extension.json",
        ),
    ] {
        let world = World::new();
        world.run(&["remember", "x"]).ok();
        world.run(&["install", host]).ok();
        let folder = world.home().join(folder);
        let again = format!("run `recallite install {host}` again");
        for (name, text) in [
            (manifest, None),
            (manifest, Some("{ broken")),
            ("hooks/hooks.json", Some("{")),
            ("skills/memory/SKILL.md", None),
        ] {
            let file = folder.join(name);
            let whole = std::fs::read_to_string(&file).unwrap();
            match text {
                Some(text) => std::fs::write(&file, text).unwrap(),
                None => std::fs::remove_file(&file).unwrap(),
            }
            let said = world.run(&["doctor"]).ok();
            assert!(said.contains(&again), "{name}: {said}");
            assert!(!said.contains("fix it and try again"), "{name}: {said}");
            world.run(&["install", host]).ok();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), whole, "{name}");
            assert!(!world.run(&["doctor"]).ok().contains(&again), "{name}");
        }
        std::fs::remove_file(folder.join(manifest)).unwrap();
        let said = world.run(&["uninstall", host]).ok();
        assert!(said.contains("removed from") && !folder.exists(), "{said}");
    }
}

/// Whoever looks at one store must know that an agent uses another.
#[test]
fn an_agent_with_another_store_is_told() {
    let world = World::new();
    world.run(&["remember", "x"]).ok();
    let other = world.path().join("other");
    for host in ["claude-code", "codex", "cursor"] {
        let says = format!("{host} uses the store {}", other.display());
        world.run(&["install", host]).ok();
        assert!(!world.run(&["doctor"]).ok().contains(&says));
        world
            .run(&["--store", other.to_str().unwrap(), "install", host])
            .ok();
        let said = world.run(&["doctor"]).ok();
        assert!(said.contains(&says), "{said}");
    }
}

/// Codex reads hooks from two places.
#[test]
fn hooks_in_the_other_file_of_codex_are_told_and_ours_are_replaced() {
    let world = World::new();
    world.run(&["remember", "x"]).ok();
    world.run(&["install", "codex"]).ok();
    let file = world.home().join(".codex/config.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    for (hooks, is_ours) in [
        (
            "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"say done\"\n",
            false,
        ),
        (
            "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"recallite hook\"\n",
            true,
        ),
        (
            "[hooks]\nStop = [{ hooks = [{ command = \"/old/recallite hook\" }] }]\n",
            true,
        ),
    ] {
        std::fs::write(&file, format!("{config}\n{hooks}")).unwrap();
        let doctor = || world.run(&["doctor"]).ok();
        let said = doctor();
        assert_eq!(
            said.contains("each may run twice"),
            is_ours,
            "{hooks}: {said}"
        );
        // What is ours there is replaced, and what is not stays, with a word about it.
        let said = world.run(&["install", "codex"]).ok();
        assert_eq!(said.contains("in two files"), !is_ours, "{said}");
        assert!(!doctor().contains("each may run twice"));
        let left = std::fs::read_to_string(&file).unwrap();
        assert_eq!(left.contains("say done"), !is_ours, "{left}");
        std::fs::write(&file, format!("{config}\n{hooks}")).unwrap();
        world.run(&["uninstall", "codex"]).ok();
        let left = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(!left.contains("recallite"), "{left}");
        assert_eq!(left.contains("say done"), !is_ours, "{left}");
        world.run(&["install", "codex"]).ok();
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_may_not_run_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.run(&["remember", "x"]).ok();
    let program = world.write("bin/recallite", "");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o644)).unwrap();
    let config = json!({ "mcpServers": { "recallite": { "command": program } } });
    world.write("home/.cursor/mcp.json", &config.to_string());
    let ran = world.run(&["doctor"]);
    assert!(
        ran.code == 5 && ran.out.contains("which is not executable"),
        "{ran:?}"
    );
}

/// The agent's project is that of its folder: one that was named would be forgotten.
#[test]
fn an_agent_is_not_bound_to_a_project() {
    let world = World::new();
    for named in [&["--project", "shop"][..], &["-a"]] {
        let ran = world.run(&[named, &["install", "cursor"]].concat());
        assert!(ran.code == 64 && ran.err.contains("--project"), "{ran:?}");
    }
    assert!(!world.home().join(".cursor").exists());
}

/// A configuration that its own program cannot read is left byte for byte.
#[test]
fn broken_configurations_are_left_untouched() {
    let cases = [
        ("cursor", ".cursor/mcp.json", "{ \"mcpServers\": "),
        ("cursor", ".cursor/mcp.json", "{ \"mcpServers\": [] }"),
        ("cursor", ".cursor/mcp.json", "[]"),
        // What no agent reads, though a lenient parser does.
        (
            "cursor",
            ".cursor/mcp.json",
            "{ \"mcpServers\": { \"a\": {} \"b\": {} } }",
        ),
        ("cursor", ".cursor/mcp.json", "{ 'mcpServers': {} }"),
        ("cursor", ".cursor/mcp.json", "{ mcpServers: {} }"),
        (
            "cursor",
            ".cursor/mcp.json",
            "{ \"mcpServers\": {}, \"n\": 0xFF }",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "{ \"mcpServers\": {}, \"n\": +1 }",
        ),
        (
            "codex",
            ".codex/hooks.json",
            "{ \"hooks\": {} } // Codex reads no comments",
        ),
        ("codex", ".codex/hooks.json", "{ \"hooks\": {}, }"),
        ("codex", ".codex/hooks.json", "\u{feff}{ \"hooks\": {} }"),
        (
            "codex",
            ".codex/hooks.json",
            "{ \"hooks\": {}, \"own\": 1 }",
        ),
        ("codex", ".codex/hooks.json", "{ nonsense"),
        (
            "codex",
            ".codex/hooks.json",
            "{ \"hooks\": { \"Stop\": 7 } }",
        ),
        ("codex", ".codex/config.toml", "model = = 1"),
        ("codex", ".codex/config.toml", "mcp_servers = 7"),
        (
            "vscode",
            ".copilot/hooks/recallite.json",
            "{ \"hooks\": { \"Stop\": ",
        ),
        ("vscode", VSCODE_SERVERS, "{ \"servers\": "),
        ("vscode", VSCODE_SERVERS, "{ \"servers\": [] }"),
    ];
    for (host, name, text) in cases {
        let world = World::new();
        let file = world.write(&format!("home/{name}"), text);
        let ran = world.run(&["install", host]);
        assert_eq!(ran.code, 1, "{name} {text}: {ran:?}");
        assert!(ran.err.contains("left as it is"), "{ran:?}");
        let folder = file.parent().unwrap();
        let files: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
        assert_eq!(files.len(), 1, "{name} {text}");
        world.run(&["uninstall", host]);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        // Nothing is half installed.
        let own = [VSCODE_SERVERS, ".copilot/hooks/recallite.json"];
        let other = own.iter().filter(|other| **other != name);
        for other in other.map(|other| world.home().join(other)) {
            assert!(!other.exists(), "{name} {text}: {}", other.display());
        }
    }
}

/// What is no text, and what would be waited for.
#[cfg(unix)]
#[test]
fn strange_configurations_are_left_untouched() {
    for (host, name) in [
        ("cursor", ".cursor/mcp.json"),
        ("codex", ".codex/hooks.json"),
        ("codex", ".codex/config.toml"),
        ("vscode", ".copilot/hooks/recallite.json"),
        ("vscode", VSCODE_SERVERS),
    ] {
        let world = World::new();
        let path = world.pipe(&format!("home/{name}"));
        let attempt = |kind: &str| {
            for command in ["install", "uninstall"] {
                let ran = world.run(&[command, host]);
                assert_eq!(ran.code, 1, "{command}, {kind}: {ran:?}");
                assert!(ran.err.contains("left as it is"), "{kind}: {ran:?}");
            }
            let files = std::fs::read_dir(path.parent().unwrap()).unwrap();
            assert_eq!(files.count(), 1, "{kind}: {name}");
        };
        attempt("a pipe");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        attempt("a folder");
        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, b"\xff\xfe{\0}\0").unwrap();
        attempt("not UTF-8");
        assert_eq!(std::fs::read(&path).unwrap(), b"\xff\xfe{\0}\0");
    }
}

/// What this repository offers as plugins is what the hosts' documents ask for.
#[test]
fn the_plugin_folders_are_whole() {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins");
    let market = json_file(&plugins.join(".claude-plugin/marketplace.json"));
    let source = market["plugins"][0]["source"].as_str().unwrap();
    assert!(
        plugins
            .join(source)
            .join(".claude-plugin/plugin.json")
            .is_file()
    );
    for entry in std::fs::read_dir(plugins.join("claude-code/commands")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(text.starts_with("---\ndescription: "), "{text}");
    }
    let skill =
        std::fs::read_to_string(plugins.join("claude-code/skills/memory/SKILL.md")).unwrap();
    for host in ["codex", "gemini-cli"] {
        let other = plugins.join(host).join("skills/memory/SKILL.md");
        assert_eq!(std::fs::read_to_string(other).unwrap(), skill, "{host}");
    }
    // Codex reads this one first, and would take Claude Code's plugin without it.
    let market = json_file(&plugins.join(".agents/plugins/marketplace.json"));
    assert_eq!(market["plugins"][0]["source"]["path"], "./codex");
    let codex = json_file(&plugins.join("codex/.codex-plugin/plugin.json"));
    for field in ["skills", "hooks", "mcpServers"] {
        assert!(
            plugins
                .join("codex")
                .join(codex[field].as_str().unwrap())
                .exists(),
            "{field}"
        );
    }
}

/// An agent that is given settings that nothing can read has no memory, and nobody is told.
#[test]
fn settings_that_cannot_be_read_are_not_installed() {
    let world = World::new();
    let unknown = world.write("unknown.json", "{ \"nonsense\": 1 }");
    let missing = world.home().join("missing.json");
    for settings in [&unknown, &missing] {
        let settings = settings.to_str().unwrap();
        let said = world.run(&["--settings", settings, "install", "cursor"]);
        assert_ne!(said.code, 0, "{said:?}");
        assert!(
            said.err.contains(".json") || said.err.contains("nonsense"),
            "{said:?}"
        );
        assert!(!world.home().join(".cursor/mcp.json").exists());
    }
    let right = world.write("right.json", "{}");
    let right = right.to_str().unwrap();
    world.run(&["--settings", right, "install", "cursor"]).ok();
    assert!(world.home().join(".cursor/mcp.json").exists());
}
