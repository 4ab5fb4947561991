//! C: structs of options, which the program fills, and how they are read.

use super::c::{c_name, c_type, comment, free, lowered, said, without_headings};
use super::model::{Field, Model, Record, Type, Value};

/// A member of a struct that the program fills.
pub struct Member<'r> {
    pub field: &'r Field,
    pub name: String,
    /// The member that says whether it is given, where zero is a value of its own.
    pub flag: Option<String>,
    /// Whether it is a switch that is on by default, which C has turned round: zero is
    /// the default of every member.
    pub is_turned: bool,
    pub is_required: bool,
}

/// What a record is called where calls take it.
pub fn taken_name(record: &Record) -> &str {
    record.about.c_taken.as_deref().unwrap_or(&record.name)
}

/// As [`taken_name`], of the options of this name.
pub fn taken_as<'m>(model: &'m Model, name: &'m str) -> &'m str {
    let record = model.option(name);
    record.map_or(name, taken_name)
}

fn struct_name(record: &Record) -> String {
    c_name(taken_name(record))
}

pub fn members(record: &Record) -> Vec<Member<'_>> {
    let about = &record.about;
    let fields = match about.c_flat {
        true => &record.flat,
        false => &record.fields,
    };
    let made = fields.iter().map(|field| {
        let is_turned = field.default == Some(Value::Bool(true));
        let plain = field.name.strip_suffix("_at");
        let plain = plain.filter(|_| field.ty.inner() == &Type::Time);
        let plain = plain.unwrap_or(&field.name);
        let name = match (about.c_renamed.get(&field.name), field.ty.inner()) {
            (Some(name), _) => name.clone(),
            (None, Type::Time) => format!("{plain}_ms"),
            (None, Type::Json | Type::JsonObject) => format!("{}_json", field.name),
            (None, _) if is_turned => format!("skip_{}", field.name),
            (None, _) => field.name.clone(),
        };
        Member {
            flag: (about.c_flagged.contains(&field.name)).then(|| format!("has_{plain}")),
            is_required: !record.is_builder
                && field.default.is_none()
                && !about.c_optional.contains(&field.name),
            field,
            name,
            is_turned,
        }
    });
    made.collect()
}

/// Whether a field of it must be given.
pub fn has_required(record: &Record) -> bool {
    members(record).iter().any(|member| member.is_required)
}

/// What errors of the core call the fields of options that C calls otherwise: moments that
/// must be given, and what C has without the record around it.
pub fn renamed(model: &Model, name: &str) -> Vec<(String, String)> {
    let Some(record) = model.option(name) else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for member in members(record) {
        let core = &member.field.core_name;
        match &member.field.ty {
            _ if record.about.c_flat => pairs.push((core.clone(), member.name)),
            Type::Time if member.is_required => pairs.push((core.clone(), member.name)),
            Type::List(inner) => {
                if let Type::Record(inner) = &**inner {
                    pairs.extend(renamed(model, inner));
                }
            }
            _ => {}
        }
    }
    pairs
}

/// The struct of options and what reads it.
pub fn text(model: &Model, record: &Record) -> String {
    let mut text = structure(model, record);
    text.push_str(&reader(model, record));
    if record.about.c_flat {
        text.push_str(&given(record));
    }
    text
}

/// How a struct of options is given, every value of it said.
fn given(record: &Record) -> String {
    let (name, path) = (struct_name(record), &record.path);
    let members = members(record);
    let fields = members.iter().map(|member| {
        let flag = member.flag.iter().map(|flag| format!("{flag}: 1,\n"));
        let into = match member.field.ty {
            Type::Bool => ".into()",
            _ => "",
        };
        let field = format!("{}: self.{}{into},\n", member.name, member.field.core_name);
        field + &flag.collect::<String>()
    });
    format!(
        "\nimpl Show for {path} {{\ntype View = {name};\n\n\
         fn show(self, _: &mut Parts) -> {name} {{\n{name} {{\n\
         struct_size: size_of::<{name}>(),\n{}}}\n}}\n}}\n{}",
        fields.collect::<String>(),
        free(&name, "a result", "unsafe { owned::free(given) }")
    )
}

fn structure(model: &Model, record: &Record) -> String {
    let name = struct_name(record);
    let members = members(record);
    let required: Vec<&str> = (members.iter().filter(|one| one.is_required))
        .map(|one| one.name.as_str())
        .collect();
    let about = match (record.about.c_filled, required.as_slice()) {
        (true, _) => format!(
            "Begin with RECALLITE_INIT({name}), call {name}_default, and change what shall \
             differ: zero is a value of its own here."
        ),
        (false, []) => {
            format!("Begin with RECALLITE_INIT({name}); a field that is zero has its default.")
        }
        (false, many) => format!(
            "Begin with RECALLITE_INIT({name}) and give {}; another field that is zero has its \
             default.",
            many.join(", ")
        ),
    };
    let about = match record.about.c_flat {
        true => {
            format!("{about} What a call gave may be changed and given; free it with {name}_free.")
        }
        false => about,
    };
    let mut text = format!(
        "\n{}#[derive(Clone, Copy, Debug)]\n#[repr(C)]\npub struct {name} {{\n\
         /// sizeof({name}).\npub struct_size: usize,\n",
        comment(&format!("{}\n\n{about}", without_headings(&record.docs)), 0)
    );
    // What a later version added stands behind the whole of the first one.
    let since = record.about.c_since.as_ref();
    let is_later = |member: &Member<'_>| Some(&member.field.name) == since;
    let first = members.iter().position(is_later).unwrap_or(members.len());
    let (first, later) = members.split_at(first);
    for part in [first, later] {
        for member in part {
            text.push_str(&declared(model, record, member));
        }
        for member in part {
            if let Some(flag) = &member.flag {
                let name = &member.name;
                text.push_str(&format!(
                    "/// Whether {name} is given.\npub {flag}: c_bool,\n"
                ));
            }
        }
    }
    for extra in &record.about.c_fields {
        text.push_str(&comment(&extra.docs, 4));
        text.push_str(&format!("pub {}: {},\n", extra.name, extra.r#type));
    }
    text.push_str("}\n\n");
    let first = match &record.about.c_since {
        Some(field) => format!("std::mem::offset_of!({name}, {field})"),
        None => format!("size_of::<{name}>()"),
    };
    text.push_str(&format!(
        "// SAFETY: repr(C), the size comes first, and integers, bytes, raw pointers and\n\
         // optional function pointers take every bit pattern that the header allows.\n\
         unsafe impl Input for {name} {{\nconst FIRST_SIZE: usize = {first};\n}}\n"
    ));
    text
}

/// A member, or several where C says one field by several.
fn declared(model: &Model, record: &Record, member: &Member<'_>) -> String {
    let (field, name) = (member.field, &member.name);
    let mut docs = match member.is_turned {
        true => format!("Disables this setting: {}", lowered(&field.docs)),
        false => field.docs.clone(),
    };
    match (field.ty.inner(), &member.flag) {
        (Type::Time, None) if field.ty.is_option() => {
            docs.push_str(" In milliseconds since 1970 UTC; 0 for none.");
        }
        (Type::Time, _) => docs.push_str(" In milliseconds since 1970 UTC."),
        (Type::Json | Type::JsonObject, _) if docs.contains("JSON") => {}
        (Type::Json, _) => docs.push_str(" As JSON."),
        (Type::JsonObject, _) => docs.push_str(" As a JSON object."),
        _ => {}
    }
    if let Some(flag) = &member.flag {
        docs.push_str(&format!(" Read when {flag} is set."));
    }
    let words = record.about.words.get(&field.name);
    let named = words.map(|words| Type::Words(words.clone()));
    let ty = named.as_ref().unwrap_or(&field.ty);
    let docs = comment(&said(&docs, ty), 4);
    match ty.inner() {
        Type::Scope => format!(
            "{}pub scope: i32,\n\
             /// The project for RECALLITE_SCOPE_NAMED; absent otherwise.\n\
             pub {name}: recallite_str,\n",
            comment(&format!("{} One of recallite_scope.", field.docs), 4)
        ),
        Type::List(inner) => {
            let item = match &**inner {
                Type::Record(item) => c_name(taken_as(model, item)),
                item => c_type(item),
            };
            format!("{docs}pub {name}: *const {item},\n/// How many.\npub {name}_len: usize,\n")
        }
        Type::Duration => format!("{docs}pub {name}: u64,\n"),
        Type::Dedupe => format!(
            "{}pub {name}: i32,\n\
             /// The key of a repetition, for RECALLITE_DEDUPE_KEY only.\n\
             pub {name}_key: recallite_str,\n",
            comment(&format!("{} One of recallite_dedupe.", field.docs), 4)
        ),
        ty => format!("{docs}pub {name}: {},\n", c_type(ty)),
    }
}

const SAFE: &str = "// SAFETY: the caller keeps the same condition.\n";

fn reader(model: &Model, record: &Record) -> String {
    if record.about.c_filled {
        return filled(record);
    }
    let (name, path) = (struct_name(record), &record.path);
    let members = members(record);
    let sets: String = (members.iter().filter(|one| !one.is_required))
        .map(|one| reading(model, record, one))
        .collect();
    let end = format!("{sets}Ok(made)\n}}\n");
    let conditions = "/// # Safety\n/// What the fields point to is absent or readable.\n";
    let is_whole = members.iter().any(|one| one.is_required);
    let made = match is_whole {
        false => format!(
            "/// Sets what the program gives; errors call the struct `name`.\n///\n{conditions}\
             pub(crate) unsafe fn set(&self, name: &str, mut made: {path}) -> Result<{path}> {{\n\
             {end}"
        ),
        true => {
            let hidden = record.about.hide.iter();
            let hidden = hidden.map(|field| format!("{field}: Default::default(),\n"));
            let fields: String = members.iter().map(required).chain(hidden).collect();
            format!(
                "/// The core's; errors call the struct `name`.\n///\n{conditions}\
                 pub(crate) unsafe fn made(&self, name: &str) -> Result<{path}> {{\n\
                 {}{end}",
                match (follows(&members), sets.is_empty()) {
                    (true, true) =>
                        format!("{SAFE}let made = unsafe {{\n{path} {{\n{fields}}}\n}};\n"),
                    (true, false) =>
                        format!("{SAFE}let mut made = unsafe {{\n{path} {{\n{fields}}}\n}};\n"),
                    (false, _) => format!("let mut made = {path} {{\n{fields}}};\n"),
                }
            )
        }
    };
    let has_default = !record.is_builder && record.about.hide.is_empty();
    let taken = match (is_whole, has_default) {
        (false, false) => String::new(),
        _ => {
            let read = match is_whole || record.about.needed {
                true => "read",
                false => "read_or_default",
            };
            // One that only arrays hold is never taken alone.
            let unused = if is_whole {
                "#[allow(dead_code)]\n"
            } else {
                ""
            };
            // Where it is bare, errors name fields and not the struct that holds them.
            let named = if record.about.bare { "\"\"" } else { "name" };
            let call = match is_whole {
                true => format!("given.made({named})"),
                false => format!("given.set({named}, {path}::default())"),
            };
            format!(
                "\n/// As the pointer of an argument.\n///\n/// # Safety\n\
                 /// `given` is NULL or points to a struct whose texts and arrays are absent or\n\
                 /// readable.\n\
                 {unused}pub(crate) unsafe fn taken(name: &str, given: *const Self) -> Result<{path}> {{\n\
                 {SAFE}let given = unsafe {{ input::{read}(name, given) }}?;\n\
                 {SAFE}unsafe {{ {call} }}\n}}\n"
            )
        }
    };
    format!("\nimpl {name} {{\n{made}{taken}}}\n")
}

/// Whether what must be given is read by following pointers.
fn follows(members: &[Member<'_>]) -> bool {
    let mut needed = members.iter().filter(|one| one.is_required);
    needed.any(|one| matches!(one.field.ty, Type::Text | Type::Id | Type::Path))
}

/// How a member is named in errors.
fn place(name: &str) -> String {
    format!("&field(name, {name:?})")
}

/// A field of the struct that is made: what must be given, and what the others are
/// before they are read.
fn required(member: &Member<'_>) -> String {
    let (c, at) = (&member.name, place(&member.name));
    let value = match &member.field.ty {
        _ if !member.is_required => match &member.field.default {
            Some(Value::Int(number)) => number.to_string(),
            _ => "Default::default()".to_owned(),
        },
        Type::Path => format!("self.{c}.path({at})?.into()"),
        Type::Text => format!("self.{c}.required({at})?.to_owned()"),
        Type::Id => format!("self.{c}.required({at})?.into()"),
        Type::Words(_) => format!("word({at}, self.{c})?"),
        Type::Time => format!("input::moment({at}, self.{c})?"),
        _ => format!("self.{c}"),
    };
    format!("{}: {value},\n", member.field.core_name)
}

/// Reads one field and puts it into its place.
fn reading(model: &Model, record: &Record, member: &Member<'_>) -> String {
    let (field, c) = (member.field, &member.name);
    let core = &field.core_name;
    let is_set = record.is_builder || record.about.by_setter.contains(&field.name);
    let put = |value: &str| match is_set {
        true => format!("made = made.{core}({value});\n"),
        false => format!("made.{core} = {value};\n"),
    };
    let wrapped = |value: &str| match field.ty.is_option() && !is_set {
        true => put(&format!("Some({value})")),
        false => put(value),
    };
    let when = |condition: &str, lines: &str| format!("if {condition} {{\n{lines}}}\n");
    let at = place(c);
    if let Some(flag) = &member.flag {
        let condition = format!("boolean({}, self.{flag})?", place(flag));
        return match field.ty.inner() {
            Type::Time => put(&format!(
                "input::time({}, self.{flag}, self.{c})?",
                place(c.trim_end_matches("_ms"))
            )),
            Type::Bool => when(&condition, &wrapped(&format!("boolean({at}, self.{c})?"))),
            Type::List(_) => {
                let list = format!("input::owned_texts({at}, self.{c}, self.{c}_len)");
                let lines = format!(
                    "{SAFE}let list = unsafe {{ {list} }}?;\n{}",
                    wrapped("list")
                );
                when(&condition, &lines)
            }
            _ => when(&condition, &wrapped(&format!("self.{c}"))),
        };
    }
    if let Some(words) = record.about.words.get(&field.name) {
        let path = format!("recallite::rules::entries::{words}");
        return put(&format!(
            "words::text::<{path}>({at}, self.{c})?.map(str::to_owned)"
        ));
    }
    match field.ty.inner() {
        Type::Bool if field.ty.is_option() && c.starts_with("skip_") => {
            when(&format!("boolean({at}, self.{c})?"), &wrapped("false"))
        }
        Type::Bool => {
            let not = if member.is_turned { "!" } else { "" };
            wrapped(&format!("{not}boolean({at}, self.{c})?"))
        }
        Type::Words(_) => when(
            &format!("self.{c} != 0"),
            &wrapped(&format!("word({at}, self.{c})?")),
        ),
        Type::Time => when(
            &format!("self.{c} != 0"),
            &wrapped(&format!("input::moment({at}, self.{c})?")),
        ),
        Type::Duration => when(
            &format!("self.{c} != 0"),
            &wrapped(&format!("std::time::Duration::from_millis(self.{c})")),
        ),
        Type::Scope => format!(
            "{SAFE}let project = unsafe {{ input::scope({}, self.scope, {at}, self.{c}) }}?;\n{}",
            place("scope"),
            put("project")
        ),
        Type::Dedupe => format!(
            "{SAFE}let dedupe = unsafe {{ input::dedupe({at}, self.{c}, {}, self.{c}_key) }}?;\n{}",
            place(&format!("{c}_key")),
            put("dedupe")
        ),
        Type::Record(inner) => when(
            &format!("!self.{c}.is_null()"),
            &format!(
                "{SAFE}let value = unsafe {{ {}::taken({at}, self.{c}) }}?;\n{}",
                c_name(inner),
                wrapped("value")
            ),
        ),
        Type::List(inner) => {
            let list = format!(
                "{SAFE}let list = unsafe {{ {} }}?;\n",
                list_of(model, inner, &at, c)
            );
            // A list that is there and empty is not one that is left out.
            match field.ty.is_option() || is_set && !record.is_builder {
                true => when(
                    &format!("!self.{c}.is_null() || self.{c}_len > 0"),
                    &format!("{list}{}", wrapped("list")),
                ),
                false => format!("{list}{}", when("!list.is_empty()", &wrapped("list"))),
            }
        }
        Type::EventRef => format!(
            "{SAFE}let text = unsafe {{ self.{c}.optional({at}) }}?;\n\
             if text.is_some() {{\n{SAFE}let event = unsafe {{ input::event_ref({at}, self.{c}) }}?;\n{}}}\n",
            wrapped("event")
        ),
        Type::Text | Type::Path | Type::Id => format!(
            "{SAFE}let text = unsafe {{ self.{c}.optional({at}) }}?;\n\
             if let Some(text) = text {{\n{}}}\n",
            wrapped(match field.ty.inner() {
                Type::Path => "text.into()",
                _ => "text.to_owned()",
            })
        ),
        Type::Json | Type::JsonObject => format!(
            "{SAFE}let json = unsafe {{ input::json({at}, self.{c}) }}?;\n\
             if let Some(json) = json {{\n{}}}\n",
            wrapped("json")
        ),
        Type::F32 | Type::F64 => when(&format!("self.{c} != 0.0"), &wrapped(&format!("self.{c}"))),
        _ => when(&format!("self.{c} != 0"), &wrapped(&format!("self.{c}"))),
    }
}

/// The list of an array.
fn list_of(model: &Model, inner: &Type, at: &str, c: &str) -> String {
    let function = match inner {
        Type::Words(_) => "words",
        Type::Text => "owned_texts",
        Type::EventRef => "parsed::<recallite::EventRef>",
        Type::Id => "parsed",
        Type::Record(name) => {
            return format!(
                "input::structs({at}, self.{c}, self.{c}_len, |one: &{}| one.made(\"\"))",
                c_name(taken_as(model, name))
            );
        }
        _ => "numbers",
    };
    format!("input::{function}({at}, self.{c}, self.{c}_len)")
}

/// Both ways, for a struct that a function fills.
fn filled(record: &Record) -> String {
    let name = struct_name(record);
    let path = &record.path;
    let each = |line: &dyn Fn(&str) -> String| -> String {
        record
            .fields
            .iter()
            .map(|field| line(&field.name))
            .collect()
    };
    format!(
        "\nimpl {name} {{\n/// As the core has them.\n\
         pub(crate) fn of(core: &{path}) -> Self {{\n{name} {{\n\
         struct_size: size_of::<Self>(),\n{}}}\n}}\n\n\
         /// The core's; what an older struct does not have is at its default.\n///\n\
         /// # Safety\n\
         /// `given` is NULL or points to a struct whose first field tells its size.\n\
         pub(crate) unsafe fn taken(name: &str, given: *const Self) -> Result<{path}> {{\n\
         let base = Self::of(&{path}::default());\n\
         // SAFETY: the caller keeps the same condition.\n\
         Ok(unsafe {{ input::read_over(name, given, base) }}?.made())\n}}\n\n\
         pub(crate) fn made(&self) -> {path} {{\nlet mut made = {path}::default();\n{}made\n}}\n}}\n",
        each(&|field| format!("{field}: core.{field},\n")),
        each(&|field| format!("made.{field} = self.{field};\n")),
    )
}
