//! Python: the methods of the groups that hang on a memory and the functions that need
//! none, for the extension module and its stubs.

use minijinja::{Value, context};

use super::doc::{self, snake};
use super::file::{File, GENERATED, with_part};
use super::model::{Argument, Gives, Handle, Model, Record, Type};
use super::python;
use super::python_parameters::{Parameter, Writer, node_of, said_as};
use super::templates::Templates;
use crate::shell::{Outcome, read, root};

/// The stubs of the extension module: those of the generated methods stand behind the
/// others of their class, up to the next empty line.
pub const STUBS: &str = "bindings-python/python/recallite/_native.pyi";

/// How a node of the graph is given.
const NODES: &str = "A result that names it, or a pair such as `(\"entry\", id)`.";

/// The widest line of a stub.
const WIDTH: usize = 100;

pub fn files(model: &Model, templates: &Templates) -> Outcome<Vec<File>> {
    let groups = model.handles_of("python").map(|handle| {
        let methods = handle.methods_in("python");
        let methods = methods.map(|method| Writer { model, method }.function(Some(handle)));
        (&handle.name, methods.collect::<Vec<_>>())
    });
    let rules = model
        .rules_of("python")
        .map(|method| Writer { model, method }.function(None));
    let values = context! {
        groups => groups.collect::<Vec<_>>(),
        rules => rules.collect::<Vec<_>>(),
    };
    let file = |name: &str| -> Outcome<File> {
        let path = format!("bindings-python/src/generated/{name}");
        templates.file(&path, name, values.clone())
    };
    Ok(vec![file("methods.rs")?, file("rules.rs")?])
}

pub fn stubs(model: &Model) -> Outcome<String> {
    let rules = model.rules_of("python");
    let rules: String = rules
        .map(|method| Writer { model, method }.stub(None))
        .collect();
    let mut text = read(&root().join(STUBS))?;
    text = marked(
        &text,
        "def _stopped_by(is_cancelled: Callable[[], bool], work: Callable[[], _R], /) -> _R: ...\n",
        "",
        &rules,
    )?;
    let mut whole = String::new();
    for handle in model.handles_of("python") {
        let class = format!("class {}:\n", handle.name);
        let methods = handle.methods_in("python");
        let methods = methods.map(|method| Writer { model, method }.stub(Some(handle)));
        let mut methods: String = methods.collect();
        if handle.is_root() {
            let areas = model.areas_with_methods("python").map(|area| {
                let (area, class) = (area.area(), &area.name);
                format!("    @property\n    def {area}(self) -> {class}: ...\n")
            });
            methods.insert_str(0, &areas.collect::<String>());
        } else if !handle.has_by_hand("python") {
            whole.push_str(&format!("@final\n{class}{methods}"));
            continue;
        }
        text = marked(&text, &class, "    ", &methods)?;
    }
    text = marked(
        &text,
        "# The areas whose methods are all derived.\n",
        "",
        &whole,
    )?;
    let (_, code) = text.split_once("__version__").unwrap_or_default();
    let naming = naming(model);
    let imports = imports(model, &format!("{naming}{code}"));
    marked(&text, "import OpenOptions\n", "", &(imports + &naming))
}

/// The stubs with these lines behind the first mark that follows `start`.
fn marked(text: &str, start: &str, space: &str, lines: &str) -> Outcome<String> {
    with_part(text, start, &format!("{space}# {GENERATED}"), lines, "\n\n")
}

/// The results that may be given for what they name.
fn naming(model: &Model) -> String {
    let union = |ty: &str, of: &[&str]| {
        let of_kind = model.areas_of("python").flat_map(|area| &area.records);
        let of_kind = of_kind.filter(|one| named_by(one).iter().any(|kind| of.contains(kind)));
        let names: Vec<&str> = of_kind.map(|one| one.name.as_str()).collect();
        format!("{ty}: TypeAlias = (\n    {}\n)\n", names.join("\n    | "))
    };
    union("_EventResult", &["event"])
        + &union("_EntryRecord", &["entry"])
        + &union("_EntityRecord", &["task", "condition", "artifact"])
}

/// What a result names.
fn named_by(record: &Record) -> Vec<&str> {
    let names = record.about.names.as_deref().unwrap_or_default();
    let what = names.split(':').next().unwrap_or_default();
    let field = |field: &str| record.fields.iter().find(|one| one.name == field);
    match what.strip_prefix('.').and_then(field).map(|one| &one.ty) {
        Some(Type::Words(kind)) if kind == "LearnedKind" => vec!["entry", "task"],
        Some(_) => vec!["task", "condition", "artifact"],
        None => vec![what],
    }
}

/// What the stubs need of the generated modules.
fn imports(model: &Model, code: &str) -> String {
    let modules = model.areas_of("python").map(|area| {
        let names = python::exported(area);
        let used = names.filter(|name| python::has_word(code, name));
        (&area.name, used.collect::<Vec<_>>().join(",\n    "))
    });
    modules
        .filter(|(_, used)| !used.is_empty())
        .map(|(module, used)| format!("from ._generated.{module} import (\n    {used},\n)\n"))
        .collect()
}

impl Writer<'_> {
    pub fn is_rule(&self) -> bool {
        self.method.is_rule()
    }

    /// What the templates are told of the method or function of the extension module.
    fn function(&self, handle: Option<&Handle>) -> Value {
        let name = &self.method.called;
        let label = match handle {
            Some(handle) if !handle.is_root() => format!("{}.{name}", handle.area()),
            _ => name.clone(),
        };
        let all = self.all();
        let positional = all.iter().filter(|one| one.gathered.is_none());
        let own = positional.clone().map(|one| match one.is_needed() {
            true => format!("{}: &Bound<'py, PyAny>", one.name),
            false => format!("{}: Given<'py>", one.name),
        });
        let gathered = all.iter().filter_map(|one| one.gathered.as_ref());
        let gathered = gathered.map(|name| format!("{name}: Option<Bound<'py, PyDict>>"));
        let mut parameters: Vec<String> = own.chain(gathered).collect();
        parameters.dedup();
        let (result, convert) = self.result();
        let passed: Vec<String> = self.method.arguments.iter().map(passed).collect();
        let call = self.method.call(handle, &passed);
        let call = match (handle, convert.ends_with("_placed")) {
            (None, _) => call,
            (Some(_), false) => self.renamed(call),
            (Some(_), true) => {
                format!("{}?.with_offsets(memory, CodePoint)", self.renamed(call))
            }
        };
        // Where the work is by hand, the arguments are read there.
        let work = self.method.python_work();
        let (arguments, pattern) = match work {
            Some(_) => Default::default(),
            None => (self.arguments(), self.pattern()),
        };
        context! {
            name,
            label,
            docs => self.docs(),
            is_method => handle.is_some(),
            signature => attribute(&all, handle.is_some()),
            positional => positional.map(|one| &one.name).collect::<Vec<_>>(),
            parameters,
            work,
            arguments,
            pattern,
            call,
            result,
            convert,
        }
    }

    /// The call, whose errors name keywords as Python has to call them.
    fn renamed(&self, call: String) -> String {
        let all = self.all();
        let names = all.iter().filter_map(|one| one.name.strip_suffix('_'));
        let names = names.map(|name| (name, format!("{name}_")));
        let names = names.chain(self.nodes());
        let pairs: Vec<String> = names.map(|pair| format!("{pair:?}")).collect();
        if pairs.is_empty() || all.iter().any(|one| one.gathered.is_some()) {
            return call;
        }
        let pairs = pairs.join(", ");
        format!("{call}.map_err(|error| argument::renamed(error, &[{pairs}]))")
    }

    /// The ids of nodes, and the arguments that name these.
    fn nodes(&self) -> impl Iterator<Item = (&str, String)> {
        let records = self.method.arguments.iter();
        let records = records.filter_map(|one| self.keywords(one));
        let nodes = records.flat_map(|record| &record.about.nodes);
        nodes.map(|(name, [_, id])| (id.as_str(), name.clone()))
    }

    /// The function that reads every argument.
    fn arguments(&self) -> String {
        let values = self.method.arguments.iter().map(|one| self.value(one));
        let values: Vec<String> = values.collect();
        match values.as_slice() {
            [] => "|| Ok(())".to_owned(),
            // What is only read needs no `Ok`.
            [one] => match one.strip_suffix('?') {
                Some(read) => format!("|| {read}"),
                None => format!("|| Ok({one})"),
            },
            many => format!("|| Ok(({}))", many.join(", ")),
        }
    }

    /// What reads an argument.
    fn value(&self, argument: &Argument) -> String {
        let name = &argument.name;
        let Some(record) = self.keywords(argument) else {
            return self.parameters(argument).remove(0).value;
        };
        let function = snake(&record.name);
        let names = function.to_uppercase();
        if self.narrowed(argument).is_some() {
            return format!(
                "super::{function}(optional(&{name}, {name:?}, crate::recall::{function})?\
                 .unwrap_or_default(), &Fields::given_to(py, narrowed, &super::{names}[1..])?)?"
            );
        }
        match (record.about.keywords, record.is_taken_whole()) {
            (true, true) => format!("crate::convert::keywords(py, {name})?"),
            (true, false) => format!(
                "super::{function}(Default::default(), \
                 &Fields::given_to(py, {name}, super::{names})?)?"
            ),
            (false, _) if record.is_open => made(record, &self.parameters(argument)),
            (false, _) => {
                let parameters = self.parameters(argument);
                let names = parameters.iter().map(|one| &one.name);
                let nodes = names.filter(|name| record.about.nodes.contains_key(*name));
                let nodes = nodes.map(|name| format!("let {name} = node({name}, {name:?})?;\n"));
                let field = |one: &Parameter| match record.about.nodes.get(&one.name) {
                    Some([kind, id]) => {
                        let node = &one.value;
                        format!("{kind}: {node}.node_type,\n{id}: {node}.id,\n")
                    }
                    None => format!("{}: {},\n", one.name.trim_end_matches('_'), one.value),
                };
                let fields: String = parameters.iter().map(field).collect();
                let made = format!("{} {{\n{fields}}}", record.path);
                match nodes.collect::<String>() {
                    none if none.is_empty() => made,
                    nodes => format!("{{\n{nodes}{made}\n}}"),
                }
            }
        }
    }

    /// The names of the arguments that were read, with the types that Rust must know.
    fn pattern(&self) -> String {
        let ty = |argument: &Argument| match &argument.ty {
            Type::Text => "String",
            Type::Option(inner) if **inner == Type::Text => "Option<String>",
            Type::List(inner) if **inner == Type::Text => "Vec<String>",
            Type::List(inner) if **inner == Type::F64 => "Vec<f64>",
            Type::List(inner) if **inner == Type::Size => "Vec<usize>",
            _ => "_",
        };
        let arguments = &self.method.arguments;
        let names: Vec<&str> = arguments.iter().map(Argument::local).collect();
        let types: Vec<&str> = arguments.iter().map(ty).collect();
        let (names, listed) = match arguments.len() {
            1 => (names[0].to_owned(), types[0].to_owned()),
            _ => (
                format!("({})", names.join(", ")),
                format!("({})", types.join(", ")),
            ),
        };
        match types.iter().all(|ty| *ty == "_") {
            true => names,
            false => format!("{names}: {listed}"),
        }
    }

    /// The type of the result, and how it is made.
    fn result(&self) -> (&'static str, &'static str) {
        let is_placed = |ty: &Type| self.model.holds(ty, &|ty| *ty == Type::Offset);
        let as_it_is = "|_, found| Ok(found)";
        match &self.method.gives {
            Gives::Nothing => ("PyResult<()>", as_it_is),
            Gives::List(Type::Text) => ("PyResult<Vec<String>>", as_it_is),
            Gives::List(ty) if is_placed(ty) => ("Object<'py>", "rows_placed"),
            Gives::List(_) => ("Object<'py>", "rows"),
            Gives::One(Type::Bool) => ("PyResult<bool>", as_it_is),
            Gives::One(Type::Text) => ("PyResult<String>", as_it_is),
            Gives::One(Type::Size) => ("PyResult<usize>", as_it_is),
            Gives::One(ty) | Gives::Maybe(ty) if is_placed(ty) => ("Object<'py>", "give_placed"),
            Gives::One(_) | Gives::Maybe(_) => ("Object<'py>", "give"),
        }
    }

    fn docs(&self) -> String {
        let mut lines = python::lines(self.model, &self.method.docs, 86);
        let records = self.method.arguments.iter();
        let work = self.method.python_work();
        let without = work.and_then(|work| work.without.as_ref());
        let keywords = records.clone().flat_map(|one| match self.narrowed(one) {
            Some(_) if self.method.python_work().is_some() => &[][..],
            Some(record) => &record.fields[1..],
            None => self.keywords(one).map_or(&[][..], |one| &one.fields),
        });
        for field in keywords.filter(|one| Some(&one.name) != without) {
            let node = records
                .clone()
                .find_map(|one| node_of(self.keywords(one)?, field));
            let (name, docs) = match node {
                Some((_, [kind, _])) if *kind == field.name => continue,
                Some((name, _)) => (name.clone(), format!("{} {NODES}", field.docs)),
                None => (python::escaped(&field.name), python::told(field)),
            };
            // Before the first stands an empty line, as before every list.
            if !lines.iter().any(|line| line.starts_with("- ")) {
                lines.push(String::new());
            }
            let item = format!("- `{name}`: {docs}");
            lines.extend(python::lines(self.model, &item, 86));
        }
        let keyword = work.and_then(|work| work.keyword.as_ref().zip(work.keyword_docs.as_ref()));
        if let Some((keyword, docs)) = keyword {
            let item = format!("- `{}`: {docs}", said_as(keyword, false).name);
            lines.extend(python::lines(self.model, &item, 86));
        }
        let errors = doc::errors(&self.method.docs);
        if !errors.is_empty() {
            let errors = match errors.strip_prefix("As ") {
                Some(rest) => format!("Raises as {rest}"),
                None => format!("Raises {errors}"),
            };
            // The codes of errors are the classes that are raised.
            let classes = |code: &str, is_name: bool| match self.model.is_code(code) {
                true => format!("``{}``", python::exception(code)),
                false => match self.nodes().find(|(id, _)| *id == code) {
                    Some((_, name)) => format!("``{name}``"),
                    None => python::spelled(self.model, code, is_name),
                },
            };
            lines.push(String::new());
            lines.extend(doc::lines(&errors, &classes, 86));
        }
        doc::prefixed(&lines, "/// ")
    }

    /// The lines of the method or function in the stubs.
    fn stub(&self, handle: Option<&Handle>) -> String {
        let space = if handle.is_some() { "    " } else { "" };
        let all = self.all();
        let own: Vec<&Parameter> = all.iter().collect();
        let this = handle.map(|_| "self");
        let given = listed(this, &own, all.len() == 1, |one| {
            let default = one.shown.as_ref().map(|shown| shown.replace('\'', "\""));
            let default = default.map_or(String::new(), |shown| format!(" = {shown}"));
            format!("{}: {}{default}", one.name, one.hint)
        });
        let result = match &self.method.gives {
            Gives::Nothing => "None".to_owned(),
            Gives::List(Type::Text) => "list[str]".to_owned(),
            Gives::List(ty) => format!("Rows[{}]", python::given(ty)),
            Gives::One(ty) => python::given(ty),
            Gives::Maybe(ty) => format!("{} | None", python::given(ty)),
        };
        let name = &self.method.called;
        let together = given.join(", ");
        let line = format!("{space}def {name}({together}) -> {result}: ...");
        let inside = format!("{space}    {together}");
        let inside = match (line.len() <= WIDTH, inside.len() <= WIDTH) {
            (true, _) => return line + "\n",
            (_, true) => inside,
            _ => format!("{space}    {},", given.join(&format!(",\n{space}    "))),
        };
        format!("{space}def {name}(\n{inside}\n{space}) -> {result}: ...\n")
    }
}

/// Parameters as Python lists them: a star before the first keyword, a slash behind one that
/// stands alone.
fn listed(
    this: Option<&str>,
    parameters: &[&Parameter],
    is_alone: bool,
    shown: impl Fn(&Parameter) -> String,
) -> Vec<String> {
    let is_keyword = |one: &&&Parameter| one.is_keyword();
    let star = parameters.iter().find(is_keyword).map(|_| "*".to_owned());
    let slash = is_alone
        && parameters
            .iter()
            .all(|one| one.is_needed() && !one.is_keyword());
    let all = parameters.iter();
    let (keywords, positional): (Vec<_>, Vec<_>) = all.partition(is_keyword);
    (this.map(str::to_owned).into_iter())
        .chain(positional.into_iter().map(&shown))
        .chain(slash.then(|| "/".to_owned()))
        .chain(star)
        .chain(keywords.into_iter().map(&shown))
        .collect()
}

/// The signature, and the one that people see where defaults say more than `None`.
fn attribute(all: &[Parameter], is_method: bool) -> String {
    let is_alone = all.len() == 1;
    let own: Vec<&Parameter> = all.iter().filter(|one| one.gathered.is_none()).collect();
    let mut names = listed(None, &own, is_alone, |one| match one.shown {
        None => one.name.clone(),
        Some(_) => format!("{}=None", one.name),
    });
    // Those that are gathered stand last.
    let gathered = all.iter().find_map(|one| one.gathered.as_ref());
    names.extend(gathered.map(|name| format!("**{name}")));
    let names = names.join(", ");
    let is_plain = |one: &Parameter| one.shown.as_deref().is_none_or(|shown| shown == "None");
    if gathered.is_none() && all.iter().all(is_plain) {
        return format!("    #[pyo3(signature = ({names}))]\n");
    }
    let this = is_method.then_some("$self");
    let seen = listed(this, &all.iter().collect::<Vec<_>>(), is_alone, |one| {
        let shown = one.shown.as_ref().map(|shown| shown.replace('"', "'"));
        shown.map_or(one.name.clone(), |shown| format!("{}={shown}", one.name))
    });
    // Too long for rustfmt, which leaves it as it is.
    format!(
        "    #[pyo3(\n        signature = ({names}),\n        text_signature = \"({})\"\n    )]\n",
        seen.join(", ")
    )
}

/// An open record of the parameters that stand for its fields: what its `new` takes, then the
/// others one after the other.
fn made(record: &Record, parameters: &[Parameter]) -> String {
    let name = |one: &Parameter| one.name.trim_end_matches('_').to_owned();
    let named = |field: &String| parameters.iter().find(|one| name(one) == *field);
    let passed = record.new_takes.iter().filter_map(named);
    let passed: Vec<&str> = passed.map(|one| one.value.as_str()).collect();
    let start = match passed.as_slice() {
        [] => format!("{}::default()", record.path),
        passed => format!("{}::new({})", record.path, passed.join(", ")),
    };
    let others = parameters.iter();
    let others = others.filter(|one| !record.new_takes.contains(&name(one)));
    let others: String = others
        .map(|one| format!("made.{} = {};\n", name(one), one.value))
        .collect();
    match others.is_empty() {
        true => start,
        false => format!("{{\nlet mut made = {start};\n{others}made\n}}"),
    }
}

/// How an argument is given to the core.
fn passed(argument: &Argument) -> String {
    let name = argument.local();
    match &argument.ty {
        Type::Option(inner) if **inner == Type::Text => format!("{name}.as_deref()"),
        Type::Option(_) if argument.is_borrowed => format!("{name}.as_ref()"),
        _ => format!("{}{name}", argument.lent()),
    }
}
