//! C++: classes that show the results of the C interface, header-only.

use super::c::{self, Part, Shows, c_name};
use super::c_methods::{c_argument, function_name};
use super::c_options::{self, taken_as};
use super::doc::{self, Style};
use super::model::{Area, Argument, Gives, Handle, Method, Model, Record, Type, Words};
use super::node::named;
use super::{File, GENERATED};

struct Plain;

impl Style for Plain {
    fn name(&self, name: &str) -> String {
        match name.split_once("::") {
            Some(("Memory", _)) => name.to_owned(),
            _ if name == "None" => "nothing".to_owned(),
            _ => doc::last(name).to_owned(),
        }
    }

    fn code(&self, code: &str) -> String {
        code.to_owned()
    }
}

pub fn files(model: &Model) -> Vec<File> {
    let areas: Vec<&Area> = model.areas_of("c").collect();
    vec![views(&areas), groups(model), rules(model)]
}

/// One of the headers that `recallite.hpp` includes, and no program by itself.
pub fn header(name: &str, docs: &str, body: &str) -> File {
    let (file, guard) = (format!("recallite_{name}.hpp"), name.to_uppercase());
    let said = format!("{file} - {docs}, for C++17. Included by recallite.hpp.");
    let said = doc::wrapped(&said, 86).join("\n// ");
    let text = format!(
        "// {GENERATED}\n//\n// {said}\n\
         #ifndef RECALLITE_HPP\n\
         #include \"recallite.hpp\"\n\
         #elif !defined(RECALLITE_{guard}_HPP)\n\
         #define RECALLITE_{guard}_HPP\n\n\
         namespace recallite {{\n{body}\n}} // namespace recallite\n\n\
         #endif // RECALLITE_{guard}_HPP\n"
    );
    File::text(&format!("include/{file}"), text)
}

/// The class with a memory's own methods, which knows the one that has the handle.
const ROOT: &str = "
namespace detail {

/// Methods of a memory itself; `Self` is the class that has the handle.
template <typename Self> class MemoryMethods {
  public:
";
const ROOT_END: &str = "
  protected:
    MemoryMethods() = default;
    ~MemoryMethods() = default;
    MemoryMethods(MemoryMethods &&) = default;
    MemoryMethods &operator=(MemoryMethods &&) = default;

  private:
    recallite_memory *handle() const noexcept { return static_cast<const Self *>(this)->raw(); }
};

} // namespace detail
";

/// The classes with the methods that hang on a memory.
fn groups(model: &Model) -> File {
    let mut text = String::new();
    let mut areas = String::new();
    for handle in model.handles_of("c") {
        let name = &handle.name;
        let by_hand = format!("{name}ByHand");
        let base = match handle.has_by_hand("c") {
            true => by_hand.as_str(),
            false => "Area",
        };
        let docs = doc::first_paragraph(&handle.docs);
        text.push_str(&match handle.is_root() {
            true => ROOT.to_owned(),
            false => format!(
                "\n{}class {name} : public detail::{base} {{\n  public:\n    using {base}::{base};\n",
                comment(&handle.docs, 0)
            ),
        });
        if !handle.is_root() {
            areas.push_str(&format!(
                "{}    {name} {}() const noexcept {{ return {name}(handle()); }}\n",
                comment(docs, 4),
                doc::snake(name)
            ));
        }
        for method in handle.methods_in("c") {
            // Those that give what is shown by hand are written by hand.
            let is_by_hand = match &method.gives {
                Gives::One(Type::Record(name)) => model.records().any(|record| {
                    let is_by_hand = record.is_by_hand("c.give") && !record.about.c_flat;
                    record.name == *name && is_by_hand
                }),
                _ => false,
            };
            if !is_by_hand {
                text.push_str(&method_of(model, Some(handle), method));
            }
        }
        text.push_str(&match handle.is_root() {
            true => format!("{areas}{ROOT_END}"),
            false => "};\n".to_owned(),
        });
    }
    header(
        "areas",
        "the methods that hang on a memory by what they are about",
        &text,
    )
}

/// The functions that need no memory.
fn rules(model: &Model) -> File {
    let mut text = String::new();
    for rule in model.rules_of("c") {
        text.push_str(&format!("\n{}", method_of(model, None, rule)));
    }
    header("rules", "the functions that need no memory", &text)
}

/// A parameter: its declaration, what is done before the call, and what is passed.
struct Parameter {
    declared: String,
    default: String,
    before: String,
    passed: String,
}

/// Whether options may be left out.
fn may_miss(model: &Model, name: &str) -> bool {
    let record = model.option(name);
    record.is_some_and(|record| !record.about.needed && !c_options::has_required(record))
}

fn parameter(model: &Model, argument: &Argument) -> Parameter {
    let name = c_argument(argument);
    let made = |ty: &str, default: &str, before: String, passed: String| Parameter {
        declared: match ty.ends_with('&') {
            true => format!("{ty}{name}"),
            false => format!("{ty} {name}"),
        },
        default: match &argument.default {
            Some(number) if number.parse::<f64>().is_ok() => format!(" = {number}"),
            _ => default.to_owned(),
        },
        before,
        passed,
    };
    // What is passed as it is, without a line before.
    let plain = |ty: &str, default: &str, passed: String| made(ty, default, String::new(), passed);
    let text = || format!("str({name})");
    match &argument.ty {
        Type::Scope => {
            let passed = format!("{name}.kind(), {name}.project()");
            plain("const Scope &", " = {}", passed)
        }
        Type::List(inner) if **inner == Type::F64 => {
            let passed = format!("{name}.data(), {name}.size()");
            plain("const std::vector<double> &", "", passed)
        }
        Type::List(inner) if matches!(**inner, Type::Record(_)) => {
            let mut names = Vec::new();
            named(inner, &mut names);
            let record = names.first().map_or("", |name| taken_as(model, name));
            made(
                &format!("const std::vector<{record}> &"),
                "",
                format!(
                    "        const {} *{name}_raw = nullptr;\n        \
                     std::size_t {name}_size = 0;\n        \
                     parts.structs({name}, {name}_raw, {name}_size);\n",
                    c_name(record)
                ),
                format!("{name}_raw, {name}_size"),
            )
        }
        Type::List(_) => made(
            "const std::vector<std::string_view> &",
            " = {}",
            format!(
                "        const std::vector<recallite_str> {name}_raw = detail::strs({name});\n"
            ),
            format!("{name}_raw.data(), {name}_raw.size()"),
        ),
        Type::Record(record) => {
            let taken = taken_as(model, record);
            made(
                &format!("const {taken} &"),
                if may_miss(model, record) { " = {}" } else { "" },
                format!(
                    "        const {} {name}_raw = {name}.raw(parts);\n",
                    c_name(taken)
                ),
                format!("&{name}_raw"),
            )
        }
        Type::Words(words) => plain(&c_name(words), "", name.clone()),
        Type::Option(inner) => match &**inner {
            Type::Text | Type::Json | Type::JsonObject => {
                plain("std::optional<std::string_view>", " = {}", text())
            }
            Type::Record(record) => {
                let (taken, raw) = (taken_as(model, record), c_name(taken_as(model, record)));
                made(
                    &format!("const std::optional<{taken}> &"),
                    " = {}",
                    format!(
                        "        const {raw} *{name}_raw =\n            \
                         {name} ? parts.one({name}->raw(parts)) : nullptr;\n"
                    ),
                    format!("{name}_raw"),
                )
            }
            ty => plain(number(ty), " = 0", name.clone()),
        },
        Type::Id | Type::Text | Type::Path | Type::EventRef | Type::Json | Type::JsonObject => {
            plain("std::string_view", "", text())
        }
        Type::Duration => plain("std::uint64_t", "", name.clone()),
        ty => plain(number(ty), "", name.clone()),
    }
}

fn method_of(model: &Model, handle: Option<&Handle>, method: &Method) -> String {
    let parameters: Vec<Parameter> = method
        .arguments
        .iter()
        .map(|one| parameter(model, one))
        .collect();
    // Defaults stand at the end.
    let first_default = parameters
        .iter()
        .rposition(|parameter| parameter.default.is_empty())
        .map_or(0, |last| last + 1);
    let declared: Vec<String> = parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| match index >= first_default {
            true => format!("{}{}", parameter.declared, parameter.default),
            false => parameter.declared.clone(),
        })
        .collect();
    let mut before: String = parameters.iter().map(|one| one.before.as_str()).collect();
    if before.contains("parts") {
        before.insert_str(0, "        detail::Parts parts;\n");
    }
    let mut passed = vec![function_name(handle, method)];
    passed.extend(handle.map(|handle| match handle.is_root() {
        true => "handle()".to_owned(),
        false => "memory_".to_owned(),
    }));
    passed.extend(parameters.iter().map(|one| one.passed.clone()));
    let passed = passed.join(", ");
    let (gives, body) = match &method.gives {
        Gives::Nothing => (
            "void".to_owned(),
            format!("        detail::call({passed});\n"),
        ),
        Gives::One(Type::Text | Type::Path) => (
            "std::string".to_owned(),
            format!("        return detail::text({passed});\n"),
        ),
        Gives::Maybe(Type::Text) => (
            "std::optional<std::string>".to_owned(),
            format!("        return detail::maybe_text({passed});\n"),
        ),
        Gives::List(Type::Text) => (
            "std::vector<std::string>".to_owned(),
            format!("        return detail::texts({passed});\n"),
        ),
        Gives::One(Type::Record(name)) if is_flat(model, name) => {
            let raw = c_name(name);
            let body = format!(
                "        {raw} *result = nullptr;\n        \
                 detail::call({passed}, &result);\n        \
                 const detail::Owner<{raw}, {raw}_free> owner(result);\n        \
                 return {name}(*result);\n"
            );
            (name.clone(), body)
        }
        Gives::One(Type::Record(name)) | Gives::Maybe(Type::Record(name)) => {
            (name.clone(), given(name, &c_name(name), &passed))
        }
        Gives::List(Type::Record(name)) => {
            let list = format!("{name}List");
            (
                list.clone(),
                given(&list, &format!("{}_list", c_name(name)), &passed),
            )
        }
        Gives::One(Type::Words(name)) => {
            let ty = c_name(name);
            let body = format!(
                "        std::int32_t result = 0;\n        \
                 detail::call({passed}, &result);\n        \
                 return static_cast<{ty}>(result);\n"
            );
            (ty, body)
        }
        Gives::One(ty) | Gives::Maybe(ty) | Gives::List(ty) => {
            let ty = number(ty);
            let body = format!(
                "        {ty} result = {{}};\n        \
                 detail::call({passed}, &result);\n        return result;\n"
            );
            (ty.to_owned(), body)
        }
    };
    let docs = &method.docs;
    let (name, declared) = (&method.called, declared.join(", "));
    if handle.is_some() {
        return format!(
            "{}    {gives} {name}({declared}) const {{\n{before}{body}    }}\n",
            comment(docs, 4)
        );
    }
    let body = format!("{before}{body}").replace("\n        ", "\n    ");
    let body = body.trim_start();
    format!(
        "{}inline {gives} {name}({declared}) {{\n    {body}}}\n",
        comment(docs, 0)
    )
}

/// Whether a result is a struct of numbers, and what calls take as well.
fn is_flat(model: &Model, name: &str) -> bool {
    model.option(name).is_some_and(|record| record.about.c_flat)
}

fn given(class: &str, raw: &str, passed: &str) -> String {
    format!(
        "        {raw} *result = nullptr;\n        \
         detail::call({passed}, &result);\n        return {class}(result);\n"
    )
}

fn views(areas: &[&Area]) -> File {
    let mut text = "\n/// The stable names of words, the same in every language.\n".to_owned();
    for words in areas.iter().flat_map(|area| &area.words) {
        text.push_str(&name_of(words));
    }
    let by_hand: Vec<&str> = areas
        .iter()
        .flat_map(|area| area.structs())
        .filter(|record| record.is_by_hand("c.give"))
        .map(|record| record.name.as_str())
        .collect();
    let given: Vec<&Record> = areas
        .iter()
        .flat_map(|area| &area.records)
        .filter(|record| !record.is_by_hand("c.give"))
        .collect();
    let maker = Maker {
        given: &given,
        by_hand: &by_hand,
    };
    for record in &given {
        text.push_str(&maker.class(record));
    }
    header(
        "views",
        "what the functions of recallite.h give: views and texts that live as long as the result",
        &text,
    )
}

fn name_of(words: &Words) -> String {
    let name = c_name(&words.name);
    format!("inline std::string_view name({name} word) {{ return {name}_name(word); }}\n")
}

pub fn comment(docs: &str, indent: usize) -> String {
    let space = " ".repeat(indent);
    doc::lines(docs, &Plain, 86 - indent)
        .iter()
        .map(|line| format!("{space}/// {line}").trim_end().to_owned() + "\n")
        .collect()
}

struct Maker<'a> {
    given: &'a [&'a Record],
    by_hand: &'a [&'a str],
}

impl Maker<'_> {
    /// What shows a record that lies in another one.
    fn view(&self, name: &str) -> String {
        let is_given = self
            .given
            .iter()
            .any(|one| one.name == name && one.is_given);
        match is_given {
            true => format!("{name}View"),
            false => name.to_owned(),
        }
    }

    fn class(&self, record: &Record) -> String {
        let (raw, view) = (c_name(&record.name), self.view(&record.name));
        let docs = match record.is_given {
            true => format!(
                "{} Borrowed from a result.",
                doc::first_paragraph(&record.docs)
            ),
            false => record.docs.clone(),
        };
        let mut text = self.shown(&record.name, &view, &docs, &c::parts(record));
        if record.is_given {
            text.push_str(&format!(
                "\n{}using {} = detail::Owned<{view}, {raw}, {raw}_free>;\n",
                comment(&record.docs, 0),
                record.name
            ));
        }
        if record.is_listed {
            text.push_str(&format!(
                "\n/// A list of {view}.\n\
                 using {}List =\n    detail::OwnedItems<{view}, {raw}, {raw}_list, {raw}_list_free>;\n",
                record.name
            ));
        }
        text
    }

    fn shown(&self, name: &str, view: &str, docs: &str, parts: &[Part]) -> String {
        let raw = c_name(name);
        let mut text = format!(
            "\n{}class {view} : public detail::Item<{raw}> {{\n  public:\n    using Item::Item;\n",
            comment(docs, 0)
        );
        for part in parts {
            text.push_str(&comment(&part.docs, 4));
            text.push_str(&self.accessor(part));
            if let ("items", Shows::Records(item)) = (part.name.as_str(), &part.shows) {
                text.push_str(&range(&self.view(item), &c_name(item)));
            }
        }
        text.push_str("};\n");
        text
    }

    fn accessor(&self, part: &Part) -> String {
        let name = &part.name;
        let at = format!("raw_->{name}");
        let len = format!("raw_->{}", c::len_name(name));
        let get = |ty: &str, value: &str| {
            let line = format!("    {ty} {name}() const noexcept {{ return {value}; }}\n");
            match line.len() <= 100 {
                true => line,
                false => format!(
                    "    {ty} {name}() const noexcept {{\n        return {value};\n    }}\n"
                ),
            }
        };
        let maybe = |ty: &str, there: &str, value: &str| {
            format!(
                "    std::optional<{ty}> {name}() const noexcept {{\n        \
                 if (!{there}) return std::nullopt;\n        return {value};\n    }}\n"
            )
        };
        let word = |word: &str| format!("static_cast<{}>({at})", c_name(word));
        match &part.shows {
            Shows::Plain(ty) => get(number(ty), &at),
            Shows::Flagged(ty) => {
                let flag = match ty {
                    Type::Time => name.trim_end_matches("_ms"),
                    _ => name,
                };
                maybe(number(ty), &format!("raw_->has_{flag}"), &at)
            }
            Shows::Word(name) => get(&c_name(name), &word(name)),
            Shows::OptionalWord(name) => maybe(&c_name(name), &at, &word(name)),
            Shows::OptionalPosition => maybe("std::uint64_t", &at, &at),
            Shows::Text => get("std::string_view", &format!("view({at})")),
            Shows::OptionalText => get(
                "std::optional<std::string_view>",
                &format!("optional_view({at})"),
            ),
            Shows::Span => get("const recallite_quote_span &", &at),
            Shows::Record(record) if self.by_hand.contains(&record.as_str()) => {
                get(&format!("const {} &", c_name(record)), &format!("*{at}"))
            }
            Shows::Record(record) => {
                let view = self.view(record);
                get(&view, &format!("{view}({at})"))
            }
            Shows::OptionalRecord(record) => {
                let view = self.view(record);
                maybe(&view, &at, &format!("{view}({at})"))
            }
            Shows::Records(record) => get(
                &format!("detail::Items<{}, {}>", self.view(record), c_name(record)),
                &format!("{{{at}, {len}}}"),
            ),
            Shows::Texts => format!(
                "    std::vector<std::string_view> {name}() const {{\n        \
                 return detail::views({at}, {len});\n    }}\n"
            ),
            Shows::Values(ty) => {
                let ty = number(ty);
                format!(
                    "    std::vector<{ty}> {name}() const {{\n        \
                     return std::vector<{ty}>({at}, {at} + {len});\n    }}\n"
                )
            }
            Shows::Array(ty, len) => format!(
                "    const {} (&{name}() const noexcept)[{len}] {{ return {at}; }}\n",
                number(ty)
            ),
        }
    }
}

/// The members that make a result a range over its items.
fn range(view: &str, raw: &str) -> String {
    let items = format!("detail::Items<{view}, {raw}>");
    format!(
        "    typename {items}::iterator begin() const noexcept {{ return items().begin(); }}\n    \
         typename {items}::iterator end() const noexcept {{ return items().end(); }}\n    \
         std::size_t size() const noexcept {{ return raw_->len; }}\n    \
         bool empty() const noexcept {{ return raw_->len == 0; }}\n    \
         {view} operator[](std::size_t index) const noexcept {{ return items()[index]; }}\n    \
         /// As operator[], but throws std::out_of_range.\n    \
         {view} at(std::size_t index) const {{ return items().at(index); }}\n"
    )
}

pub fn number(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::U32 => "std::uint32_t",
        Type::U64 | Type::Position => "std::uint64_t",
        Type::Size | Type::Offset => "std::size_t",
        Type::F32 => "float",
        Type::F64 => "double",
        _ => "std::int64_t",
    }
}
