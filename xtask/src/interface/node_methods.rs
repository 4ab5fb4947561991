//! Node: the methods of the groups that hang on a memory and the functions that need none,
//! in the addon and in TypeScript.

use minijinja::{Value, context};

use super::doc::{self, camel, capital, lower_camel};
use super::file::{File, GENERATED, with_part};
use super::model::{Argument, Gives, Handle, Method, Type};
use super::node::{Node, crossing, given, has_scope};
use super::templates::Templates;
use crate::shell::{Outcome, read, root};

/// The widest line of TypeScript.
const WIDTH: usize = 100;

/// One line, or several where it is too wide.
pub fn fitting(line: String, lines: String) -> String {
    match line.chars().count() <= WIDTH {
        true => line,
        false => lines,
    }
}

pub fn files(node: Node, templates: &Templates) -> Outcome<Vec<File>> {
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
        let path = format!("bindings-node/src/generated/{name}");
        files.push(templates.file(&path, name, values.clone())?);
    }
    for handle in handles() {
        files.push(node.class(handle, templates)?);
    }
    let values = context! {
        methods => rules().map(|rule| node.method(None, rule)).collect::<Vec<_>>(),
        types => node.names(rules()),
    };
    files.push(templates.file("bindings-node/ts/generated/rules.ts", "rules.ts", values)?);
    Ok(files)
}

/// The ES module: the names that it gives on. Those of the rules stand at its end.
fn module(node: Node) -> Outcome<File> {
    const MODULE: &str = "bindings-node/ts/index.mts";
    let mut names = Vec::new();
    for rule in node.model.rules_of("node") {
        let name = camel(&rule.name);
        names.extend(rule.is_for_worker.then(|| format!("{name}Sync")));
        names.push(name);
    }
    names.sort_unstable();
    let lines = format!(
        "export {{\n  {},\n}} from './index.js';",
        names.join(",\n  ")
    );
    let text = read(&root().join(MODULE))?;
    let text = with_part(&text, "", &format!("// {GENERATED}"), &lines, "\n\n")?;
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
        (false, ["limit"]) if left_out[0].default.is_none() => "ListOptions".to_owned(),
        (false, ["limit"]) if method.called == "changes_since" => "ChangesOptions".to_owned(),
        // What the method of that name of a memory takes is called `ContextOptions`.
        (false, ["query"]) if method.called == "context" => "EndlessContextOptions".to_owned(),
        _ => format!("{}Options", capital(&camel(&method.called))),
    }
}

/// The types of such objects that are written by hand, because many methods have them.
const SHARED_OPTIONS: [&str; 4] = [
    "ChangesOptions",
    "ListFilter",
    "ListOptions",
    "ProjectFilter",
];

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
        let call = method.call(handle, &passed);
        let result = match &method.gives {
            Gives::Nothing => "()".to_owned(),
            Gives::One(ty) => crossing(ty),
            Gives::Maybe(ty) => format!("Option<{}>", crossing(ty)),
            Gives::List(_) if method.is_in_parts() => "NativeEvents".to_owned(),
            Gives::List(ty) => format!("Vec<{}>", crossing(ty)),
        };
        context! {
            name => native_name(handle, method),
            parameters => self.native_parameters(method),
            promised => declared(&result),
            result,
            call,
            embeds => method.node_embeds(),
            is_for_worker => method.is_for_worker,
        }
    }

    /// How an argument is given to the core.
    fn passed(&self, method: &Method, argument: &Argument) -> String {
        let (name, core) = (argument.local(), &argument.name);
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
                Type::EventRef | Type::Record(_) | Type::Words(_) | Type::Size => {
                    format!("&take::<_, Vec<_>>({core:?}, {name})?")
                }
                _ if may_miss => format!("&{name}.unwrap_or_default()"),
                _ => format!("&{name}"),
            },
            Type::Record(record) if self.is_bare(record) => format!("{lent}take(\"\", {name})?"),
            Type::Option(inner) if **inner == Type::Text => format!("{name}.as_deref()"),
            Type::Option(inner) => {
                let lent = if lent.is_empty() { "" } else { ".as_ref()" };
                let of_record = matches!(inner.named(), Some(record) if self.is_bare(record));
                let at = if of_record { "" } else { core };
                format!("input::optional({at:?}, {name}, take)?{lent}")
            }
            Type::Duration => format!("take(\"{core}_ms\", {name})?"),
            _ => format!("{lent}take({core:?}, {name})?"),
        }
    }

    /// Whether errors name the fields of a record alone.
    pub fn is_bare(&self, name: &str) -> bool {
        let record = self.model.option(name);
        record.is_some_and(|record| record.about.bare)
    }

    /// The parameters of the addon, and their types.
    fn native_parameters(&self, method: &Method) -> Vec<(String, String)> {
        let mut parameters = Vec::new();
        for argument in &method.arguments {
            let name = argument.local();
            let ty = match &argument.ty {
                Type::Scope => {
                    parameters.push((name.to_owned(), "Option<String>".to_owned()));
                    parameters.push(("all_projects".to_owned(), "Option<bool>".to_owned()));
                    continue;
                }
                ty => self.crossing_in(ty).replace("crate::input::", ""),
            };
            let ty = match argument.may_miss() || is_optional(method, argument) {
                true => format!("Option<{ty}>"),
                false => ty,
            };
            parameters.push((name.to_owned(), ty));
        }
        parameters
    }

    /// The module of a group.
    fn class(self, handle: &Handle, templates: &Templates) -> Outcome<File> {
        let name = &handle.name;
        let said = doc::paragraphs(&handle.docs, &|code, is_name| self.spelled(code, is_name));
        let values = context! {
            name,
            docs => handle.docs,
            is_root => handle.is_root(),
            has_by_hand => handle.has_by_hand("node"),
            areas => self.model.areas_with_methods("node").collect::<Vec<_>>(),
            methods => handle
                .methods_in("node")
                .map(|one| self.method(Some(handle), one))
                .collect::<Vec<_>>(),
            types => self.names(handle.methods_in("node")),
            said => said.first(),
        };
        let path = format!("bindings-node/ts/generated/{}.ts", handle.area());
        templates.file(&path, "class.ts", values)
    }

    /// What the templates are told of a method or a rule, on a worker and at once.
    fn method(self, handle: Option<&Handle>, method: &Method) -> Value {
        let inside = inside(method);
        let own = options_type(method);
        let own = Some(own).filter(|ty| !inside.is_empty() && !SHARED_OPTIONS.contains(&&**ty));
        let others = method.arguments.iter();
        let others: Vec<_> = others.filter(|one| !is_optional(method, one)).collect();
        let passed = others.iter().map(|one| match self.filter(one) {
            Some(_) => "wanted".to_owned(),
            None => format!("{}Given", camel(&one.name)),
        });
        let passed = passed.chain(inside.iter().map(|(name, _)| name.clone()));
        let arguments = others.iter().map(|&one| {
            context! {
                name => camel(&one.name),
                argument => one,
                check => method.node_reads(&one.name).map(|(check, _)| check),
                may_miss => one.may_miss(),
                must_say => method.must_say(&one.name),
                filter => self.filter(one).map(|_| one.ty.named()),
            }
        });
        let parameters = others.iter().filter(|one| self.filter(one).is_none());
        let parameters = parameters.map(|one| self.parameter(method, one));
        let parameters: Vec<String> = parameters.collect();
        let object = self.object(method);
        let at_once = object.iter().map(|(name, ty)| format!("{name}: {ty}"));
        let at_once: Vec<String> = at_once.collect();
        let on_worker = match at_once.first() {
            Some(options) => format!("{options} & CallOptions"),
            None => "options?: CallOptions".to_owned(),
        };
        context! {
            name => camel(&method.called),
            ty => typescript(&method.gives),
            gives => method.gives,
            docs => self.docs(method),
            native => format!("native.{}", camel(&native_name(handle, method))),
            way => if method.is_write { "write" } else { "read" },
            is_for_worker => method.is_for_worker,
            is_in_parts => method.is_in_parts(),
            embeds => method.node_embeds(),
            own_options => own.map(|ty| context! { ty, fields => left_out(method) }),
            object => object.map(|(name, _)| context! { name => name.trim_end_matches('?') }),
            arguments => arguments.collect::<Vec<_>>(),
            passed => passed.collect::<Vec<_>>(),
            inside => inside.iter().map(|(name, ty)| context! { name, ty }).collect::<Vec<_>>(),
            on_worker => [&parameters[..], &[on_worker]].concat(),
            at_once => [&parameters[..], &at_once].concat(),
        }
    }

    /// The object that holds what may be left out: its name, with a question mark where it
    /// may be left out itself, and its type.
    fn object(self, method: &Method) -> Option<(&'static str, String)> {
        let mut arguments = method.arguments.iter();
        let filter = arguments.find_map(|one| Some((self.filter(one)?, one.ty.named()?)));
        let own = options_type(method);
        match filter {
            Some((name, ty)) => Some((name, ty.to_owned())),
            None if left_out(method).is_empty() => None,
            None if own.ends_with("Filter") => Some(("filter?", own)),
            None => Some(("options?", own)),
        }
    }

    /// The types that methods name.
    fn names<'a>(self, methods: impl Iterator<Item = &'a Method>) -> Vec<String> {
        let mut types: Vec<String> = Vec::new();
        for method in methods {
            let taken = method.arguments.iter().filter_map(|one| one.ty.named());
            types.extend(taken.map(|name| self.taken_name(name)));
            let given = method.gives.ty().and_then(Type::named);
            types.extend(given.map(str::to_owned));
        }
        types.sort_unstable();
        types.dedup();
        types
    }

    /// The documentation, an example and what is thrown.
    fn docs(&self, method: &Method) -> String {
        let mut lines = self.lines(&method.docs, 86);
        if let Some(example) = method.node_example() {
            lines.extend(["".to_owned(), "```js".to_owned()]);
            lines.extend(example.trim().lines().map(str::to_owned));
            lines.push("```".to_owned());
        }
        lines.push(String::new());
        let thrown = format!("@throws {{MemoryError}} {}", thrown(method));
        lines.extend(self.lines(&thrown, 86));
        format!("  /**\n{}   */\n", doc::prefixed(&lines, "   * "))
    }

    /// What the filter or the options that an argument is are called: an object that takes the
    /// options of the call too. A question mark says that it may be left out.
    fn filter(self, argument: &Argument) -> Option<&'static str> {
        let Type::Record(name) = &argument.ty else {
            return None;
        };
        let record = self.model.option(name)?;
        match () {
            () if name.ends_with("Filter") && !has_scope(record) => Some("filter"),
            () if name.ends_with("Filter") => Some("filter?"),
            () if name.ends_with("Options") => Some("options?"),
            () if name.ends_with("Budget") => Some("budget?"),
            () => None,
        }
    }

    /// A parameter with its type.
    fn parameter(self, method: &Method, argument: &Argument) -> String {
        let name = camel(&argument.name);
        let ty = match argument.ty.inner() {
            _ if let Some((_, ty)) = method.node_reads(&argument.name) => ty.to_owned(),
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
}

/// What may be left out, as it lies in its object: a scope is two.
fn inside(method: &Method) -> Vec<(String, Type)> {
    let one = |argument: &&Argument| match &argument.ty {
        Type::Scope => vec![
            ("project".to_owned(), Type::Text),
            ("allProjects".to_owned(), Type::Bool),
        ],
        ty => vec![(camel(&argument.name), ty.clone())],
    };
    left_out(method).iter().flat_map(one).collect()
}

/// The type of a checked value as the addon takes it.
pub fn crossed(ty: &Type) -> String {
    match ty.inner() {
        Type::List(_) => "string[]".to_owned(),
        Type::Record(name) => format!("ReturnType<typeof fields.{}>", lower_camel(name)),
        ty => declared(&crossing(ty)),
    }
}

/// What a method throws: what its documentation says, and what every call may throw.
fn thrown(method: &Method) -> String {
    let said = doc::errors(&method.docs).trim_end_matches('.').to_owned();
    let own = (!method.arguments.is_empty()).then_some("invalid_argument");
    let common: &[&str] = match (method.is_rule(), method.is_write) {
        (true, _) => &[],
        (false, true) => &["busy", "full", "io"],
        (false, false) => &["corrupt", "io"],
    };
    let codes = own.iter().chain(common).map(|code| format!("`{code}`"));
    let unsaid: Vec<String> = codes.filter(|code| !said.contains(code)).collect();
    let parts = [said, unsaid.join(", ")];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}.", parts.join("; "))
}

/// The names of functions and types that a module uses of these.
pub fn used_in(names: &str, body: &str) -> Vec<String> {
    let code = body
        .lines()
        .filter(|line| !line.trim_start().starts_with(['*', '/']));
    let code: String = code.collect();
    let is_part = |c: char| c.is_alphanumeric() || c == '.';
    let stands = |text: &str, name: &str, is_before: &dyn Fn(&str) -> bool| {
        let mut places = text.match_indices(name);
        places.any(|(at, _)| !text[..at].ends_with(is_part) && is_before(&text[at + name.len()..]))
    };
    let is_used = |name: &&str| match name.starts_with(char::is_uppercase) {
        true => stands(body, name, &|rest| !rest.starts_with(is_part)),
        false => stands(&code, name, &|rest| rest.starts_with('(')),
    };
    names
        .split(' ')
        .filter(is_used)
        .map(str::to_owned)
        .collect()
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
