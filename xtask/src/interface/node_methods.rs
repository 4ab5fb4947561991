//! Node: the methods of the groups that hang on a memory and the functions that need none,
//! in the addon and in TypeScript.

use minijinja::{Environment, Value, context};

use super::doc::{self, camel, capital, lower_camel};
use super::model::{Argument, Gives, Handle, Method, Type};
use super::node::{Node, check, crossing, given, has_scope, named};
use super::templates::filled;
use super::{File, GENERATED};
use crate::shell::{Outcome, read, root};

/// The widest line of TypeScript.
const WIDTH: usize = 100;

/// One line, or several where it is too wide.
fn fitting(line: String, lines: String) -> String {
    match line.chars().count() <= WIDTH {
        true => line,
        false => lines,
    }
}

pub fn files(node: Node, templates: &Environment<'_>) -> Outcome<Vec<File>> {
    let handles = || node.model.handles_of("node");
    let methods = handles().flat_map(|handle| {
        let methods = handle.methods_in("node");
        methods.map(move |method| node.in_addon(Some(handle), method))
    });
    let rules = || node.model.rules_of("node");
    let in_addon: Vec<Value> = rules().map(|rule| node.in_addon(None, rule)).collect();
    let values = context! { methods => methods.collect::<Vec<_>>(), rules => in_addon };
    let mut files = vec![module(node)?];
    for name in ["methods.rs", "rules.rs"] {
        let text = filled(templates, name, values.clone())?;
        files.push(File::new(
            &format!("bindings-node/src/generated/{name}"),
            text,
        ));
    }
    for handle in handles() {
        let path = format!("bindings-node/ts/generated/{}.ts", handle.area());
        files.push(File::new(&path, node.class(handle, templates)?));
    }
    let methods: Vec<Value> = rules().map(|rule| node.method(None, rule)).collect();
    let body = filled(templates, "rules.ts", context! { methods })?;
    let lines = body
        .lines()
        .map(|line| line.strip_prefix("  ").unwrap_or(line));
    let body = lines.collect::<Vec<_>>().join("\n") + "\n";
    let imported = imports(&body, &node.names(rules()));
    let text =
        format!("// {GENERATED}\n/** The functions that need no memory. */\n\n{imported}{body}");
    files.push(File::new("bindings-node/ts/generated/rules.ts", text));
    Ok(files)
}

/// The ES module: the names that it gives on. Those of the rules stand at its end.
fn module(node: Node) -> Outcome<File> {
    const MODULE: &str = "bindings-node/ts/index.mts";
    let text = read(&root().join(MODULE))?;
    let (before, _) = (text.split_once(&format!("// {GENERATED}")))
        .ok_or_else(|| format!("{MODULE} does not say where the generated names begin"))?;
    let mut names = Vec::new();
    for rule in node.model.rules_of("node") {
        let name = camel(&rule.name);
        names.extend(rule.is_for_worker.then(|| format!("{name}Sync")));
        names.push(name);
    }
    names.sort_unstable();
    let names = names.join(",\n  ");
    let text = format!("{before}// {GENERATED}\nexport {{\n  {names},\n}} from './index.js';\n");
    Ok(File::new(MODULE, text))
}

/// What the addon calls a method: all of them hang on one class there.
fn native_name(handle: Option<&Handle>, method: &Method) -> String {
    match handle {
        Some(handle) if !handle.is_root() => format!("{}_{}", handle.area(), method.called),
        _ => method.called.clone(),
    }
}

/// Whether an argument lies in the object of what may be left out; those of rules stand
/// for themselves.
fn is_optional(method: &Method, argument: &Argument) -> bool {
    let is_first = (method.arguments.first()).is_some_and(|first| first.name == argument.name);
    let may_lie_there = match argument.ty {
        Type::Option(_) => !method.must_say(&argument.name),
        Type::List(ref inner) => !is_first && !matches!(**inner, Type::Record(_)),
        _ => argument.default.is_some(),
    };
    argument.ty == Type::Scope || method.path.is_empty() && may_lie_there
}

/// What may be left out of a method's arguments.
fn left_out(method: &Method) -> Vec<&Argument> {
    let arguments = method.arguments.iter();
    arguments.filter(|one| is_optional(method, one)).collect()
}

/// The type of the object that holds what may be left out. Those that many methods have are
/// written by hand.
fn options_type(method: &Method) -> String {
    let left_out = left_out(method);
    let names: Vec<&str> = left_out.iter().map(|one| one.name.as_str()).collect();
    let has_scope = left_out.iter().any(|one| one.ty == Type::Scope);
    match (has_scope, names.as_slice()) {
        (true, [_]) => "ProjectFilter".to_owned(),
        (true, [_, "limit"]) => "ListFilter".to_owned(),
        // Every list gives at most so many where nothing else is said.
        (false, ["limit"]) if matches!(left_out[0].default.as_deref(), None | Some("1000")) => {
            "ListOptions".to_owned()
        }
        // What the method of that name of a memory takes is called `ContextOptions`.
        (false, ["query"]) if method.called == "context" => "EndlessContextOptions".to_owned(),
        _ => format!("{}Options", capital(&camel(&method.called))),
    }
}

/// The types of such objects that are written by hand, because many methods have them.
const SHARED_OPTIONS: [&str; 3] = ["ListFilter", "ListOptions", "ProjectFilter"];

/// What TypeScript's macro makes of a type that the addon gives.
fn declared(ty: &str) -> String {
    let within = |name: &str| ty.strip_prefix(name)?.strip_suffix('>').map(declared);
    match ty {
        "()" => "undefined".to_owned(),
        "bool" => "boolean".to_owned(),
        "String" => "string".to_owned(),
        "f64" => "number".to_owned(),
        _ => match (within("Option<"), within("Vec<")) {
            (Some(inner), _) => format!("{inner} | null"),
            (_, Some(inner)) => format!("Array<{inner}>"),
            _ => ty.to_owned(),
        },
    }
}

impl Node {
    /// What the addon's templates are told of a method: what is taken, the call, what is given.
    fn in_addon(self, handle: Option<&Handle>, method: &Method) -> Value {
        let passed = method.arguments.iter().map(|one| self.passed(method, one));
        let passed: Vec<String> = passed.collect();
        let call = match handle {
            None => method.call(&passed),
            Some(handle) => {
                format!(
                    "{}.{}({})",
                    handle.accessor(),
                    method.name,
                    passed.join(", ")
                )
            }
        };
        let result = match &method.gives {
            Gives::Nothing => "()".to_owned(),
            Gives::One(ty) => crossing(ty),
            Gives::Maybe(ty) => format!("Option<{}>", crossing(ty)),
            Gives::List(ty) => format!("Vec<{}>", crossing(ty)),
        };
        context! {
            name => native_name(handle, method),
            parameters => self.native_parameters(method),
            promised => declared(&result),
            result,
            call,
            embeds => method.node_embeds,
            is_for_worker => method.is_for_worker,
        }
    }

    /// How an argument is given to the core.
    fn passed(&self, method: &Method, argument: &Argument) -> String {
        let (name, core) = (native_argument(argument), &argument.name);
        let (lent, may_miss) = (argument.lent(), is_optional(method, argument));
        match &argument.ty {
            _ if argument.default.is_some() => {
                let rest = argument.unwrapped();
                format!("{lent}input::optional({core:?}, {name}, take)?{rest}")
            }
            Type::Scope => format!("{lent}input::scope({name}, all_projects)?"),
            Type::Text => format!("&{name}"),
            Type::Path => format!("std::path::Path::new(&{name})"),
            Type::EventRef => format!("input::name({core:?}, {name})?"),
            Type::List(inner) => match &**inner {
                Type::EventRef | Type::Record(_) => {
                    format!("&take::<_, Vec<_>>({core:?}, {name})?")
                }
                _ if may_miss => format!("&{name}.unwrap_or_default()"),
                _ => format!("&{name}"),
            },
            Type::Record(record) if self.is_bare(record) => format!("{lent}take(\"\", {name})?"),
            Type::Option(inner) if **inner == Type::Text => format!("{name}.as_deref()"),
            Type::Option(_) => {
                let lent = if lent.is_empty() { "" } else { ".as_ref()" };
                format!("input::optional({core:?}, {name}, take)?{lent}")
            }
            _ => format!("{lent}take({core:?}, {name})?"),
        }
    }

    /// Whether errors name the fields of a record alone.
    fn is_bare(&self, name: &str) -> bool {
        let record = self.model.option(name);
        record.is_some_and(|record| record.about.bare)
    }

    /// The parameters of the addon, and their types.
    fn native_parameters(&self, method: &Method) -> Vec<(String, String)> {
        let mut parameters = Vec::new();
        for argument in &method.arguments {
            let name = native_argument(argument);
            let ty = match &argument.ty {
                Type::Scope => {
                    parameters.push((name, "Option<String>".to_owned()));
                    parameters.push(("all_projects".to_owned(), "Option<bool>".to_owned()));
                    continue;
                }
                ty => self.crossing_in(ty).replace("crate::input::", ""),
            };
            let ty = match argument.may_miss() || is_optional(method, argument) {
                true => format!("Option<{ty}>"),
                false => ty,
            };
            parameters.push((name, ty));
        }
        parameters
    }

    /// The module of a group.
    fn class(self, handle: &Handle, templates: &Environment<'_>) -> Outcome<String> {
        let name = &handle.name;
        let methods = handle.methods_in("node");
        let body = filled(
            templates,
            "class.ts",
            context! {
                name,
                docs => handle.docs,
                is_root => handle.is_root(),
                has_by_hand => handle.has_by_hand("node"),
                areas => self.model.areas_with_methods("node").collect::<Vec<_>>(),
                methods => methods.map(|one| self.method(Some(handle), one)).collect::<Vec<_>>(),
            },
        )?;
        let mut imported = imports(&body, &self.names(handle.methods_in("node")));
        let docs = doc::paragraphs(&handle.docs, &self);
        let mut docs = docs.first().map_or("", String::as_str);
        if handle.is_root() {
            docs = "The methods of a memory that follow from the core's.";
            for area in self.model.areas_with_methods("node") {
                imported += &list_import("", &[&area.name], &format!("./{}.js", area.area()));
            }
        } else if handle.has_by_hand("node") {
            imported += &list_import("", &[&format!("{name}ByHand")], "../by-hand.js");
        }
        Ok(format!("// {GENERATED}\n/** {docs} */\n\n{imported}{body}"))
    }

    /// What the templates are told of a method or a rule, on a worker and at once.
    fn method(self, handle: Option<&Handle>, method: &Method) -> Value {
        let shape = self.shape(method);
        let (name, ty) = (camel(&method.called), typescript(&method.gives));
        let native = camel(&native_name(handle, method));
        let way = if method.is_write { "write" } else { "read" };
        let (taken, embedder) = match method.node_embeds {
            None => ("(native) =>", None),
            Some(_) => ("(native, embedder) =>", Some("embedder".to_owned())),
        };
        let with = |more: &[String]| [&shape.passed[..], more].concat().join(", ");
        let passed = with(&["cancel".to_owned()]);
        let passed_at_once = with(embedder.as_slice());
        let (head, head_sync) = match (handle, method.is_for_worker) {
            (Some(_), _) => (format!("async {name}"), format!("{name}Sync")),
            (None, true) => (
                format!("export async function {name}"),
                format!("export function {name}Sync"),
            ),
            (None, false) => (String::new(), format!("export function {name}")),
        };
        let object = shape.called();
        let options = if object.is_empty() {
            "options"
        } else {
            "{ signal }"
        };
        let run = format!("{way}(this, {options}, (native, cancel) =>");
        let promised = format!("Promise<{ty}>");
        context! {
            docs => self.docs(method),
            is_for_worker => method.is_for_worker,
            embeds => method.node_embeds,
            options => self.own_options(method),
            on_worker => signature(&head, &shape.for_worker(), &promised),
            at_once => signature(&head_sync, &shape.at_once(), &ty),
            read => shape.reading(object),
            read_rest => shape.reading("rest"),
            run => self.returned(method, "await ", &run, &format!("native.{native}({passed})"), &promised),
            run_sync => self.returned(
                method,
                "",
                &format!("now(this, {taken}"),
                &format!("native.{native}Sync({passed_at_once})"),
                &ty,
            ),
            value => self.value(method, &shape),
            passed => shape.passed,
            object,
            name,
            ty,
        }
    }

    /// What a rule gives.
    fn value(self, method: &Method, shape: &Shape) -> String {
        let form = if method.is_for_worker { "Sync" } else { "" };
        let name = camel(&method.called);
        let call = format!("unwrap(native().{name}{form}({}))", shape.passed.join(", "));
        let ty = typescript(&method.gives);
        match &method.gives {
            Gives::One(Type::Json | Type::JsonObject) => format!("JSON.parse({call}) as {ty}"),
            Gives::One(one @ Type::Record(record)) if self.is_json(one) => {
                format!("parsed.{}({call})", lower_camel(record))
            }
            Gives::One(Type::Record(_) | Type::Words(_)) | Gives::List(Type::Record(_)) => {
                format!("{call} as {ty}")
            }
            Gives::Maybe(_) => format!("({call} ?? null) as {ty}"),
            _ => call,
        }
    }

    /// The object with what may be left out, unless many methods have its type.
    fn own_options(self, method: &Method) -> Option<Value> {
        let fields = left_out(method);
        let ty = options_type(method);
        let is_own = !fields.is_empty() && !SHARED_OPTIONS.contains(&ty.as_str());
        is_own.then(|| context! { ty, fields })
    }

    /// The types that methods name.
    fn names<'a>(&self, methods: impl Iterator<Item = &'a Method>) -> Vec<String> {
        let mut types: Vec<String> = Vec::new();
        for method in methods {
            for argument in &method.arguments {
                let mut found = Vec::new();
                named(&argument.ty, &mut found);
                types.extend(found.into_iter().map(|one| self.taken_name(one)));
            }
            if let Gives::One(ty) | Gives::Maybe(ty) | Gives::List(ty) = &method.gives {
                let mut found = Vec::new();
                named(ty, &mut found);
                types.extend(found.into_iter().map(str::to_owned));
            }
        }
        types.sort_unstable();
        types.dedup();
        types
    }

    /// The documentation, an example and what is thrown.
    fn docs(&self, method: &Method) -> String {
        let mut lines = doc::lines(&method.docs, self, 86);
        if let Some(example) = &method.node_example {
            lines.extend(["".to_owned(), "```js".to_owned()]);
            lines.extend(example.trim().lines().map(str::to_owned));
            lines.push("```".to_owned());
        }
        lines.push(String::new());
        let thrown = format!("@throws {{MemoryError}} {}", thrown(method));
        lines.extend(doc::lines(&thrown, self, 86));
        format!("  /**\n{}   */\n", doc::prefixed(&lines, "   *"))
    }

    /// How the arguments of a method stand in TypeScript.
    fn shape(&self, method: &Method) -> Shape {
        let mut shape = Shape::default();
        let mut inside: Vec<(String, &Type)> = Vec::new();
        for argument in &method.arguments {
            let name = camel(&argument.name);
            if is_optional(method, argument) {
                match &argument.ty {
                    Type::Scope => {
                        inside.push(("project".to_owned(), &Type::Text));
                        inside.push(("allProjects".to_owned(), &Type::Bool));
                    }
                    ty => inside.push((name, ty)),
                }
                continue;
            }
            if let Some(filter) = self.filter(argument) {
                shape.filter(&filter);
                continue;
            }
            shape.argument(
                &name,
                &self.parameter(method, argument),
                self.checked(method, argument),
            );
        }
        if !inside.is_empty() {
            shape.inside(&options_type(method), &inside);
        }
        shape
    }

    /// The filter or the options that an argument is: an object that takes the options of the
    /// call too.
    fn filter(&self, argument: &Argument) -> Option<Filter> {
        let Type::Record(name) = &argument.ty else {
            return None;
        };
        let record = self.model.option(name)?;
        let (called, is_needed) = match () {
            () if name.ends_with("Filter") => ("filter", !has_scope(record)),
            () if name.ends_with("Options") => ("options", false),
            () if name.ends_with("Budget") => ("budget", false),
            () => return None,
        };
        Some(Filter {
            called,
            ty: name.clone(),
            is_needed,
        })
    }

    /// A parameter with its type.
    fn parameter(&self, method: &Method, argument: &Argument) -> String {
        let name = camel(&argument.name);
        let ty = match argument.ty.inner() {
            Type::EventRef => "EventName".to_owned(),
            Type::Time => "TimeInput".to_owned(),
            Type::Path => "string | FileUrl".to_owned(),
            Type::List(inner) if **inner == Type::EventRef => "readonly EventName[]".to_owned(),
            ty => self.taken_type(ty),
        };
        match (argument.may_miss(), method.must_say(&argument.name)) {
            (true, true) => format!("{name}: {ty} | null"),
            (true, false) => format!("{name}?: {ty}"),
            (false, _) => format!("{name}: {ty}"),
        }
    }

    /// An argument after its type was checked.
    fn checked(&self, method: &Method, argument: &Argument) -> String {
        let name = camel(&argument.name);
        let one = |ty: &Type| match ty {
            Type::Words(_) => "text",
            other => other.readers().node,
        };
        let checked = match argument.ty.inner() {
            Type::Record(record) => {
                let read = lower_camel(record);
                match self.is_bare(record) {
                    true => format!("check.bare('{name}', {name}, fields.{read})"),
                    false => format!("check.whole('{name}', {name}, fields.{read})"),
                }
            }
            Type::List(inner) => match &**inner {
                Type::Record(record) => {
                    let read = lower_camel(record);
                    format!("check.list('{name}', {name}, fields.{read})")
                }
                inner => format!("check.list('{name}', {name}, check.{})", one(inner)),
            },
            ty => format!("check.{}('{name}', {name})", one(ty)),
        };
        match (argument.may_miss(), method.must_say(&argument.name)) {
            (true, true) => format!("{name} === null ? undefined : {checked}"),
            (true, false) => format!("{name} == null ? undefined : {checked}"),
            (false, _) => checked,
        }
    }

    /// The end of a method: the call, and what becomes of its result.
    fn returned(&self, method: &Method, wait: &str, head: &str, call: &str, ty: &str) -> String {
        let line = |before: &str, after: &str| {
            fitting(
                format!("    {before}{head} {call}){after};"),
                format!("    {before}{head}\n      {call},\n    ){after};"),
            ) + "\n"
        };
        let (Gives::One(given) | Gives::Maybe(given) | Gives::List(given)) = &method.gives else {
            let start = if wait.is_empty() { "" } else { "return " };
            return line(start, "");
        };
        let Type::Record(record) = given else {
            return match given {
                Type::Words(_) => line("return ", &format!(" as {ty}")),
                _ => line("return ", ""),
            };
        };
        if !self.is_json(given) {
            return line("return ", &format!(" as {ty}"));
        }
        let parsed = format!("parsed.{}", lower_camel(record));
        let result = match method.gives {
            Gives::List(_) => format!("found.map({parsed})"),
            Gives::Maybe(_) => format!("found == null ? null : {parsed}(found)"),
            _ => format!("{parsed}(found)"),
        };
        let found = line(&format!("const found = {wait}"), "");
        format!("{found}    return {result};\n")
    }
}

/// A filter, or options, that a method takes.
struct Filter {
    called: &'static str,
    ty: String,
    /// Whether there is no reading everything.
    is_needed: bool,
}

/// How the arguments of a method stand in TypeScript.
#[derive(Default)]
struct Shape {
    parameters: Vec<String>,
    /// The object that holds what may be left out: its name, with a question mark where
    /// it may be left out itself, and its type.
    options: Option<(String, String)>,
    /// The lines that check what was given; `{rest}` stands for the object.
    read: String,
    /// What goes to the addon.
    passed: Vec<String>,
}

impl Shape {
    fn argument(&mut self, name: &str, parameter: &str, checked: String) {
        self.parameters.push(parameter.to_owned());
        let local = format!("{name}Given");
        self.read
            .push_str(&format!("    const {local} = {checked};\n"));
        self.passed.push(local);
    }

    fn filter(&mut self, filter: &Filter) {
        let mark = if filter.is_needed { "" } else { "?" };
        self.options = Some((format!("{}{mark}", filter.called), filter.ty.clone()));
        self.read.push_str(&format!(
            "    const wanted = fields.{}('{}', {{rest}}, '');\n",
            lower_camel(&filter.ty),
            filter.called
        ));
        self.passed.push("wanted".to_owned());
    }

    fn inside(&mut self, ty: &str, fields: &[(String, &Type)]) {
        let name = match ty.ends_with("Filter") {
            true => "filter",
            false => "options",
        };
        self.options = Some((format!("{name}?"), ty.to_owned()));
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        let checks: Vec<String> = fields
            .iter()
            .map(|(name, ty)| format!("{name}: {}", check(ty.inner())))
            .collect();
        let types: Vec<String> = fields
            .iter()
            .map(|(name, ty)| format!("{name}?: {}", crossed(ty)))
            .collect();
        self.read.push_str(&format!(
            "    const {{ {} }} = check.record('{name}', {{rest}}, {{\n      {},\n    }}) as {{ {} }};\n",
            names.join(", "),
            checks.join(",\n      "),
            types.join("; ")
        ));
        self.passed.extend(names.into_iter().map(str::to_owned));
    }

    fn reading(&self, rest: &str) -> String {
        self.read.replace("{rest}", rest)
    }

    /// The name of the object with what may be left out; empty without one.
    fn called(&self) -> &str {
        let options = self.options.as_ref();
        options.map_or("", |(name, _)| name.trim_end_matches('?'))
    }

    /// The parameters of the form that runs on a worker.
    fn for_worker(&self) -> Vec<String> {
        let options = match &self.options {
            Some((name, ty)) => format!("{name}: {ty} & CallOptions"),
            None => "options?: CallOptions".to_owned(),
        };
        [&self.parameters[..], &[options]].concat()
    }

    /// The parameters of the blocking form.
    fn at_once(&self) -> Vec<String> {
        let options = self
            .options
            .iter()
            .map(|(name, ty)| format!("{name}: {ty}"));
        self.parameters.iter().cloned().chain(options).collect()
    }
}

/// The type of a checked value as the addon takes it.
fn crossed(ty: &Type) -> String {
    match ty.inner() {
        Type::List(_) => "string[]".to_owned(),
        ty => declared(&crossing(ty)),
    }
}

/// What a method throws: what its documentation says, and what every call may throw.
fn thrown(method: &Method) -> String {
    let said = doc::errors(&method.docs).trim_end_matches('.').to_owned();
    let own = if method.arguments.is_empty() {
        ""
    } else {
        "invalid_argument"
    };
    let common = match (method.path.is_empty(), method.is_write) {
        (false, _) => [own, "", "", ""],
        (true, true) => [own, "busy", "full", "io"],
        (true, false) => [own, "corrupt", "io", ""],
    };
    let unsaid: Vec<String> = common
        .into_iter()
        .map(|code| format!("`{code}`"))
        .filter(|code| code != "``" && !said.contains(code.as_str()))
        .collect();
    match (said.is_empty(), unsaid.is_empty()) {
        (true, _) => format!("{}.", unsaid.join(", ")),
        (false, true) => format!("{said}."),
        (false, false) => format!("{said}; {}.", unsaid.join(", ")),
    }
}

fn signature(name: &str, parameters: &[String], ty: &str) -> String {
    fitting(
        format!("  {name}({}): {ty} {{", parameters.join(", ")),
        format!(
            "  {name}(\n    {},\n  ): {ty} {{",
            parameters.join(",\n    ")
        ),
    )
}

/// What generated modules import where they use it: functions, classes and types.
const IMPORTED: [(&str, &[&str], &str); 6] = [
    ("", &["Area", "areaOf"], "../area.js"),
    (
        "",
        &["onlySignal", "run", "splitSignal", "unwrap"],
        "../calls.js",
    ),
    ("", &["mix", "now", "read", "write"], "../handle.js"),
    ("", &["native"], "../native.js"),
    ("type ", &["FileUrl"], "../platform-types.js"),
    ("type ", &COMMON_TYPES, "../types.js"),
];

/// Types that are written by hand.
const COMMON_TYPES: [&str; 8] = [
    "CallOptions",
    "EventName",
    "JsonObject",
    "JsonValue",
    "ListFilter",
    "ListOptions",
    "ProjectFilter",
    "TimeInput",
];

/// What a module needs of others, and of the generated types.
fn imports(body: &str, types: &[String]) -> String {
    let is_code = |line: &&str| !line.trim_start().starts_with(['*', '/']);
    let is_called = |line: &str, name: &str| {
        let is_whole = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.');
        let mut calls = line.match_indices(name);
        calls.any(|(at, _)| is_whole(at) && line[at + name.len()..].starts_with('('))
    };
    let is_used = |name: &&str| match name.starts_with(char::is_uppercase) {
        true => body.contains(*name),
        false => body
            .lines()
            .filter(is_code)
            .any(|line| is_called(line, name)),
    };
    let mut text = String::new();
    for (kind, names, path) in IMPORTED {
        let used: Vec<&str> = names.iter().copied().filter(is_used).collect();
        text.push_str(&list_import(kind, &used, path));
    }
    for (module, path) in [
        ("check", "../check"),
        ("fields", "./fields"),
        ("parsed", "./parsed"),
    ] {
        if body.contains(&format!("{module}.")) {
            text.push_str(&format!("import * as {module} from '{path}.js';\n"));
        }
    }
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    text + &list_import("type ", &types, "./types.js")
}

/// An import of names, on several lines where they are many.
fn list_import(kind: &str, names: &[&str], path: &str) -> String {
    if names.is_empty() {
        return String::new();
    }
    fitting(
        format!("import {kind}{{ {} }} from '{path}';\n", names.join(", ")),
        format!(
            "import {kind}{{\n  {},\n}} from '{path}';\n",
            names.join(",\n  ")
        ),
    )
}

/// What a method gives, as TypeScript has it.
fn typescript(gives: &Gives) -> String {
    match gives {
        Gives::Nothing => "void".to_owned(),
        Gives::One(ty) => given(ty),
        Gives::Maybe(ty) => format!("{} | null", given(ty)),
        Gives::List(ty) => format!("{}[]", given(ty)),
    }
}

/// An argument's name in the addon, where the memory has its own.
fn native_argument(argument: &Argument) -> String {
    match argument.name.as_str() {
        "memory" => "memory_id".to_owned(),
        name => name.to_owned(),
    }
}
