//! Node: the methods of the groups that hang on a memory and the functions that need none,
//! in the addon and in TypeScript.

use super::doc::{self, camel, capital, snake};
use super::model::{Argument, Gives, Handle, Method, Model, Type};
use super::node::{Node, TypeScript, check, comment, crossing, given, has_scope, named};
use super::{File, GENERATED};
use crate::shell::{Outcome, read, root};

/// The widest line of TypeScript.
const WIDTH: usize = 100;

pub fn files(model: &Model, node: &Node<'_>) -> Vec<File> {
    let writer = Writer { model, node };
    let mut files = vec![
        File::rust("bindings-node/src/generated/methods.rs", writer.addon()),
        File::rust("bindings-node/src/generated/rules.rs", writer.addon_rules()),
        File::text("bindings-node/ts/generated/rules.ts", writer.rules()),
    ];
    for handle in model.handles_of("node") {
        let path = format!("bindings-node/ts/generated/{}.ts", snake(&handle.name));
        files.push(File::text(&path, writer.class(handle)));
    }
    files
}

/// The ES module: the names that it gives on. Those of the rules stand at its end.
pub fn module(model: &Model) -> Outcome<File> {
    const MODULE: &str = "bindings-node/ts/index.mts";
    let text = read(&root().join(MODULE))?;
    let (before, _) = (text.split_once(&format!("// {GENERATED}")))
        .ok_or_else(|| format!("{MODULE} does not say where the generated names begin"))?;
    let mut names: Vec<String> = model
        .rules_of("node")
        .flat_map(|rule| {
            let name = camel(&rule.name);
            let at_once = rule.is_for_worker.then(|| format!("{name}Sync"));
            std::iter::once(name).chain(at_once)
        })
        .collect();
    names.sort_unstable();
    let names = names.join(",\n  ");
    let text = format!("{before}// {GENERATED}\nexport {{\n  {names},\n}} from './index.js';\n");
    Ok(File::text(MODULE, text))
}

struct Writer<'m> {
    model: &'m Model,
    node: &'m Node<'m>,
}

/// What the addon calls a method: all of them hang on one class there.
fn native_name(handle: &Handle, method: &Method) -> String {
    match handle.is_root() {
        true => method.called.clone(),
        false => format!("{}_{}", snake(&handle.name), method.called),
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

impl Writer<'_> {
    /// The addon's side: what is taken, the call, what is given.
    fn addon(&self) -> String {
        let mut text = format!(
            "// {GENERATED}\n\
             //! The methods of areas.\n\n\
             use napi_derive::napi;\n\
             use recallite::{{Memory, Result}};\n\n\
             use super::*;\n\
             use crate::convert::give;\n\
             use crate::input::{{self, Name, Time}};\n\
             use crate::memory::NativeMemory;\n\
             use crate::methods::{{embedding_methods, methods}};\n"
        );
        let (mut plain, mut embedding) = (String::new(), String::new());
        for handle in self.model.handles_of("node") {
            for method in handle.methods_in("node") {
                text.push_str(&self.function(handle, method));
                let forms = match method.node_embeds {
                    None => &mut plain,
                    Some(_) => &mut embedding,
                };
                forms.push_str(&self.forms(&native_name(handle, method), method));
            }
        }
        format!("{text}\nmethods! {{\n{plain}}}\n\nembedding_methods! {{\n{embedding}}}\n")
    }

    fn function(&self, handle: &Handle, method: &Method) -> String {
        let parameters: String = self
            .native_parameters(method)
            .iter()
            .map(|(name, ty)| format!("{name}: {ty}, "))
            .collect();
        let passed: Vec<String> = method
            .arguments
            .iter()
            .map(|argument| self.passed(method, argument))
            .collect();
        let (on, name) = (handle.accessor(), &method.name);
        let call = format!("{on}.{name}({})", passed.join(", "));
        let body = match method.gives {
            Gives::Nothing => call,
            _ => format!("give(memory, {call}?)"),
        };
        format!(
            "\nfn call_{}(memory: &Memory, {parameters}) -> Result<{}> {{\n{body}\n}}\n",
            native_name(handle, method),
            native_result(&method.gives)
        )
    }

    /// The addon's functions that need no memory.
    fn addon_rules(&self) -> String {
        let mut text = format!(
            "// {GENERATED}\n\
             //! The functions that need no memory, at once where they are quick.\n\n\
             #![allow(clippy::useless_conversion)]\n\n\
             use napi_derive::napi;\n\n\
             use super::*;\n\
             use crate::convert::give_plain;\n\
             use crate::input::{{self, Time}};\n\
             use crate::methods::functions;\n\
             use crate::outcome::{{Outcome, quick}};\n"
        );
        let mut forms = String::new();
        for method in self.model.rules_of("node") {
            let parameters: String = (self.native_parameters(method).iter())
                .map(|(name, ty)| format!("{name}: {ty}, "))
                .collect();
            let passed = method.arguments.iter().map(|one| self.passed(method, one));
            let (name, result) = (&method.name, native_result(&method.gives));
            let call = method.call(&passed.collect::<Vec<_>>());
            if method.is_for_worker {
                text.push_str(&format!(
                    "\nfn call_{name}({parameters}) -> Result<{result}> {{\n\
                     {call}.and_then(give_plain)\n}}\n"
                ));
                forms.push_str(&self.forms(name, method));
                continue;
            }
            text.push_str(&format!(
                "\n#[napi(catch_unwind)]\npub fn {name}({parameters}) -> Outcome<{result}> {{\n\
                 quick(|| {call}.and_then(give_plain))\n}}\n"
            ));
        }
        format!("{text}\nfunctions! {{\n{forms}}}\n")
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

    /// The module of the functions that need no memory.
    fn rules(&self) -> String {
        let rules: Vec<&Method> = self.model.rules_of("node").collect();
        let body: String = rules.iter().map(|rule| self.rule(rule)).collect();
        let imported = imports(&body, &self.names(rules.into_iter()));
        format!("// {GENERATED}\n/** The functions that need no memory. */\n\n{imported}{body}")
    }

    fn rule(&self, method: &Method) -> String {
        let (name, shape) = (camel(&method.called), self.shape(method));
        let ty = typescript(&method.gives);
        let (mut text, form) = match method.is_for_worker {
            false => (self.comment(method), name.clone()),
            true => (self.on_worker(method, &shape), format!("{name}Sync")),
        };
        let call = format!("unwrap(native().{form}({}))", shape.passed.join(", "));
        let value = match &method.gives {
            Gives::One(Type::Json | Type::JsonObject) => format!("JSON.parse({call}) as {ty}"),
            Gives::One(Type::Record(record))
                if self.node.is_json(&Type::Record(record.clone())) =>
            {
                format!("parsed.{}({call})", camel(&snake(record)))
            }
            Gives::One(Type::Record(_) | Type::Words(_)) | Gives::List(Type::Record(_)) => {
                format!("{call} as {ty}")
            }
            Gives::Maybe(_) => format!("({call} ?? null) as {ty}"),
            _ => call,
        };
        text.push_str(&signature(
            &format!("export function {form}"),
            &shape.at_once(),
            &ty,
        ));
        let read = shape.reading(shape.called());
        text.push_str(&format!("{read}    return {value};\n  }}\n"));
        // A method stands in a class.
        let lines = text
            .lines()
            .map(|line| line.strip_prefix("  ").unwrap_or(line));
        format!("\n{}\n", lines.collect::<Vec<_>>().join("\n"))
    }

    /// The form of a rule that runs on a worker, and what is said of the other one.
    fn on_worker(&self, method: &Method, shape: &Shape) -> String {
        let (name, ty) = (camel(&method.called), typescript(&method.gives));
        let head = format!("export async function {name}");
        let passed = [shape.passed.clone(), vec!["cancel".to_owned()]].concat();
        let split = match shape.called() {
            "" => "const signal = onlySignal(options);".to_owned(),
            name => format!("const {{ signal, rest }} = splitSignal({name});"),
        };
        format!(
            "{}{}    {split}\n{}    \
             return run('read', signal, (cancel) =>\n      native().{name}({}),\n    \
             ) as Promise<{ty}>;\n  }}\n\n  /** Like {{@link {name}}}, but blocking. */\n",
            self.comment(method),
            signature(&head, &shape.for_worker(), &format!("Promise<{ty}>")),
            shape.reading("rest"),
            passed.join(", ")
        )
    }

    /// Both forms of a method, for the macro that writes them.
    fn forms(&self, name: &str, method: &Method) -> String {
        let parameters: Vec<String> = self
            .native_parameters(method)
            .iter()
            .map(|(name, ty)| format!("{name}: [{ty}]"))
            .collect();
        format!(
            "    {name} / {name}_sync({})\n        -> [{}]\n        as \"Promise<{} | Failure>\" = call_{name}{};\n",
            parameters.join(", "),
            native_result(&method.gives),
            native_typescript(&method.gives),
            (method.node_embeds.iter())
                .map(|when| format!(" when ({when})"))
                .collect::<String>()
        )
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
                ty => self.node.crossing_in(ty).replace("crate::input::", ""),
            };
            let ty = match argument.may_miss() || is_optional(method, argument) {
                true => format!("Option<{ty}>"),
                false => ty,
            };
            parameters.push((name, ty));
        }
        parameters
    }

    /// The class of a group: each method in two forms.
    fn class(&self, handle: &Handle) -> String {
        let name = &handle.name;
        let docs = doc::paragraphs(&handle.docs, &self.style());
        let docs = match handle.is_root() {
            true => "The methods of a memory that follow from the core's.",
            false => docs.first().map_or("", String::as_str),
        };
        let by_hand = format!("{name}ByHand");
        let methods = handle
            .methods_in("node")
            .filter(|one| !left_out(one).is_empty());
        let options: String = methods.map(|one| self.options_of(one)).collect();
        let mut body = String::new();
        for method in handle.methods_in("node") {
            if !body.is_empty() {
                body.push('\n');
            }
            body.push_str(&self.forms_of_class(handle, method));
        }
        let (mut before, mut after) = (String::new(), String::new());
        let mut imported = String::new();
        let class = if handle.is_root() {
            for area in self.model.areas_with_methods("node") {
                before.push_str(&self.getter(area));
                let path = format!("./{}.js", area.area());
                imported.push_str(&list_import("", &[&area.name], &path));
            }
            format!(
                "\n/** The methods of a memory that are derived. */\n\
                 export abstract class DerivedMethods {{\n{before}{body}}}\n"
            )
        } else {
            if handle.has_by_hand("node") {
                before = format!("export interface {name} extends {by_hand} {{}}\n\n");
                after = format!("\nmix({name}, [{by_hand}]);\n");
                imported = list_import("", &[&by_hand], "../by-hand.js");
            }
            format!(
                "\n{before}{}export class {name} extends Area {{\n{body}}}\n{after}",
                comment(&handle.docs, 0, &self.style())
            )
        };
        let body = options + &class;
        imported.insert_str(0, &imports(&body, &self.names(handle.methods_in("node"))));
        format!("// {GENERATED}\n/** {docs} */\n\n{imported}{body}")
    }

    /// The property of a memory that gives an area.
    fn getter(&self, area: &Handle) -> String {
        let (name, docs) = (&area.name, doc::first_paragraph(&area.docs));
        format!(
            "{}  get {}(): {name} {{\n    return areaOf(this, {name});\n  }}\n\n",
            comment(docs, 2, &self.style()),
            camel(&area.area())
        )
    }

    /// The type of the object with what may be left out, unless many methods have it.
    fn options_of(&self, method: &Method) -> String {
        let ty = options_type(method);
        if SHARED_OPTIONS.contains(&ty.as_str()) {
            return String::new();
        }
        let said = format!("What `{}` may be told.", camel(&method.called));
        let fields = left_out(method).into_iter().map(|argument| {
            format!(
                "{}  readonly {}?: {} | undefined;\n",
                comment(&argument.docs, 2, &self.style()),
                camel(&argument.name),
                self.node.taken(argument.ty.inner())
            )
        });
        format!(
            "\n{}export interface {ty} {{\n{}}}\n",
            comment(&said, 0, &self.style()),
            fields.collect::<String>()
        )
    }

    fn style(&self) -> TypeScript<'_> {
        TypeScript { model: self.model }
    }

    /// The types that methods name.
    fn names<'a>(&self, methods: impl Iterator<Item = &'a Method>) -> Vec<String> {
        let mut types: Vec<String> = Vec::new();
        for method in methods {
            for argument in &method.arguments {
                let mut found = Vec::new();
                named(&argument.ty, &mut found);
                types.extend(found.into_iter().map(|one| self.node.taken_name(one)));
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

    /// A method on a worker, and its blocking twin.
    fn forms_of_class(&self, handle: &Handle, method: &Method) -> String {
        let name = camel(&method.called);
        let shape = self.shape(method);
        let native = camel(&native_name(handle, method));
        let ty = typescript(&method.gives);
        let mut text = self.comment(method);

        let head = format!("async {name}");
        let promised = format!("Promise<{ty}>");
        text.push_str(&signature(&head, &shape.for_worker(), &promised));
        let options = match shape.called() {
            "" => "options",
            name => {
                text.push_str(&format!(
                    "    const {{ signal, rest }} = splitSignal({name});\n"
                ));
                "{ signal }"
            }
        };
        text.push_str(&shape.reading("rest"));
        let way = if method.is_write { "write" } else { "read" };
        let arguments = [shape.passed.clone(), vec!["cancel".to_owned()]].concat();
        text.push_str(&self.returned(
            method,
            "await ",
            &format!("{way}(this, {options}, (native, cancel) =>"),
            &format!("native.{native}({})", arguments.join(", ")),
            &format!("Promise<{ty}>"),
        ));
        text.push_str("  }\n\n");

        let (end, taken, embedder) = match method.node_embeds {
            None => (".", "(native) =>", ""),
            Some(_) => (
                "; `unsupported` with an embedder that returns promises.",
                "(native, embedder) =>",
                "embedder",
            ),
        };
        let mut passed = shape.passed.clone();
        passed.extend((!embedder.is_empty()).then(|| embedder.to_owned()));
        text.push_str(&format!(
            "  /** Like {{@link {}.{name}}}, but blocking{end} */\n",
            handle.name
        ));
        text.push_str(&signature(&format!("{name}Sync"), &shape.at_once(), &ty));
        text.push_str(&shape.reading(shape.called()));
        text.push_str(&self.returned(
            method,
            "",
            &format!("now(this, {taken}"),
            &format!("native.{native}Sync({})", passed.join(", ")),
            &ty,
        ));
        text.push_str("  }\n");
        text
    }

    /// The documentation, an example and what is thrown.
    fn comment(&self, method: &Method) -> String {
        let mut lines = doc::lines(&method.docs, &self.style(), 86);
        if let Some(example) = &method.node_example {
            lines.extend(["".to_owned(), "```js".to_owned()]);
            lines.extend(example.trim().lines().map(str::to_owned));
            lines.push("```".to_owned());
        }
        lines.push(String::new());
        let thrown = format!("@throws {{MemoryError}} {}", thrown(method));
        lines.extend(doc::lines(&thrown, &self.style(), 86));
        let lines: String = lines
            .iter()
            .map(|line| format!("{}\n", format!("   * {line}").trim_end()))
            .collect();
        format!("  /**\n{lines}   */\n")
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
            ty => self.node.taken(ty),
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
            Type::EventRef => "check.name",
            Type::Time => "check.moment",
            Type::Path => "check.path",
            Type::Text | Type::Id | Type::Words(_) => "check.text",
            Type::Json => "check.json",
            Type::JsonObject => "check.jsonObject",
            Type::Bool => "check.boolean",
            _ => "check.number",
        };
        let checked = match argument.ty.inner() {
            Type::Record(record) => {
                let read = camel(&snake(record));
                match self.is_bare(record) {
                    true => format!("check.bare('{name}', {name}, fields.{read})"),
                    false => format!("check.whole('{name}', {name}, fields.{read})"),
                }
            }
            Type::List(inner) => match &**inner {
                Type::Record(record) => {
                    let read = camel(&snake(record));
                    format!("check.list('{name}', {name}, fields.{read})")
                }
                inner => format!("check.list('{name}', {name}, {})", one(inner)),
            },
            ty => format!("{}('{name}', {name})", one(ty)),
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
            let line = format!("    {before}{head} {call}){after};");
            match line.chars().count() <= WIDTH {
                true => format!("{line}\n"),
                false => format!("    {before}{head}\n      {call},\n    ){after};\n"),
            }
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
        if !self.node.is_json(given) {
            return line("return ", &format!(" as {ty}"));
        }
        let parsed = format!("parsed.{}", camel(&snake(record)));
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
            camel(&snake(&filter.ty)),
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
fn crossed(ty: &Type) -> &'static str {
    match ty.inner() {
        Type::Bool => "boolean",
        Type::List(_) => "string[]",
        Type::Text | Type::Words(_) | Type::Json | Type::JsonObject => "string",
        _ => "number",
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
    let line = format!("  {name}({}): {ty} {{", parameters.join(", "));
    match line.chars().count() <= WIDTH {
        true => format!("{line}\n"),
        false => format!(
            "  {name}(\n    {},\n  ): {ty} {{\n",
            parameters.join(",\n    ")
        ),
    }
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
    let line = format!("import {kind}{{ {} }} from '{path}';\n", names.join(", "));
    match line.chars().count() <= WIDTH {
        true => line,
        false => format!(
            "import {kind}{{\n  {},\n}} from '{path}';\n",
            names.join(",\n  ")
        ),
    }
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

/// What the addon gives.
fn native_result(gives: &Gives) -> String {
    match gives {
        Gives::Nothing => "()".to_owned(),
        Gives::One(ty) => crossing(ty),
        Gives::Maybe(ty) => format!("Option<{}>", crossing(ty)),
        Gives::List(ty) => format!("Vec<{}>", crossing(ty)),
    }
}

/// What the addon gives, in its declarations.
fn native_typescript(gives: &Gives) -> String {
    let one = |ty: &Type| match ty {
        Type::Record(name) => format!("Native{name}"),
        Type::Bool => "boolean".to_owned(),
        Type::Text | Type::Id | Type::Words(_) => "string".to_owned(),
        _ => "number".to_owned(),
    };
    match gives {
        Gives::Nothing => "undefined".to_owned(),
        Gives::One(ty) => one(ty),
        Gives::Maybe(ty) => format!("{} | null", one(ty)),
        Gives::List(ty) => format!("Array<{}>", one(ty)),
    }
}

/// An argument's name in the addon, where the memory has its own.
fn native_argument(argument: &Argument) -> String {
    match argument.name.as_str() {
        "memory" => "memory_id".to_owned(),
        name => name.to_owned(),
    }
}
