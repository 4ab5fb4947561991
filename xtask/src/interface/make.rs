//! Makes the model of the core's declarations and the table.

use std::collections::BTreeMap;

use syn::{Expr, Lit, Type as Syntax};

use super::called::{self, Given};
use super::declared::{Shape, Struct, StructField, generic, last_part};
use super::doc;
use super::model::{
    Access, Area, Argument, Field, Gives, Handle, Method, Model, Record, Type, Value, Words,
};
use super::source::{Declared, Source};
use super::table::{About, AreaTable, HandleTable, Table};
use crate::shell::Outcome;

impl Model {
    pub fn make(source: &Source, table: &'static Table) -> Outcome<Model> {
        let handles = table.handle.iter().map(|handle| handle.name.as_str());
        let rules = table.rules.iter().flat_map(|rules| &rules.modules);
        let rules: Vec<&str> = rules.map(String::as_str).collect();
        let given = source.given(&handles.collect::<Vec<_>>(), &rules);
        let maker = Maker {
            source,
            table,
            given: &given,
        };
        let areas = table.area.iter().map(|area| maker.area(area));
        let handles = table.handle.iter().map(|handle| {
            let (docs, found) = source.methods_of(&handle.name)?;
            maker.handle(handle, docs, found)
        });
        let rules = table.rules.iter().map(|rules| {
            let found = rules
                .modules
                .iter()
                .map(|module| source.functions_of(module));
            let found: Vec<_> = found.collect::<Outcome<_>>()?;
            maker.handle(rules, String::new(), found.concat())
        });
        Ok(Model {
            areas: areas.collect::<Outcome<_>>()?,
            handles: handles.collect::<Outcome<_>>()?,
            rules: rules.collect::<Outcome<_>>()?,
        })
    }
}

struct Maker<'a> {
    source: &'a Source,
    table: &'static Table,
    given: &'a [Given<'a>],
}

impl Maker<'_> {
    fn area(&self, area: &AreaTable) -> Outcome<Area> {
        let records = |names: &[String]| -> Outcome<Vec<Record>> {
            names.iter().map(|name| self.record(name)).collect()
        };
        let words = area.words.iter().map(|name| self.words(name));
        Ok(Area {
            name: area.name.clone(),
            docs: area.docs.clone(),
            languages: area.languages.clone(),
            words: words.collect::<Outcome<_>>()?,
            records: records(&area.records)?,
            options: records(&area.options)?,
        })
    }

    fn handle(
        &self,
        table: &'static HandleTable,
        docs: String,
        found: Vec<called::Method>,
    ) -> Outcome<Handle> {
        // Where one method stands for another, it is told what that one does.
        let told = found.iter().map(|one| (one.name.clone(), one.docs.clone()));
        let told: BTreeMap<String, String> = told.collect();
        let is_by_hand = |one: &called::Method| table.is_by_hand(&one.name);
        let methods = found.into_iter().filter(|one| !is_by_hand(one));
        let methods = methods.map(|method| {
            let place = format!("{}::{}", method.module.join("::"), method.name);
            let made = self.method(table, method, &told);
            made.map_err(|error| format!("{place}: {error}").into())
        });
        Ok(Handle {
            name: table.name.clone(),
            docs,
            methods: methods.collect::<Outcome<_>>()?,
            table,
        })
    }

    fn method(
        &self,
        table: &'static HandleTable,
        method: called::Method,
        told: &BTreeMap<String, String>,
    ) -> Outcome<Method> {
        let name = &method.name;
        let called = table.named.get(name).unwrap_or(name);
        let arguments = method.arguments.iter();
        let arguments = arguments.map(|(argument, ty)| self.argument(table, &method, argument, ty));
        let inner = within(&method.gives, "Result");
        let gives = match self.gives(inner.unwrap_or(&method.gives), &method.module)? {
            Gives::One(ty) => Gives::One(as_object(ty, table.objects.contains(name))),
            other => other,
        };
        let is_change = table.changes.contains(name);
        Ok(Method {
            arguments: arguments.collect::<Outcome<_>>()?,
            is_write: is_change || gives == Gives::Nothing || table.writes.contains(name),
            gives,
            is_change,
            is_for_worker: table.worker.contains(name),
            is_fallible: inner.is_some(),
            docs: self.said(match told.get(called) {
                Some(docs) if method.docs.starts_with("Like ") => docs,
                _ => &method.docs,
            }),
            called: called.clone(),
            path: method.path,
            name: method.name,
            table,
        })
    }

    fn argument(
        &self,
        table: &HandleTable,
        method: &called::Method,
        name: &str,
        ty: &Syntax,
    ) -> Outcome<Argument> {
        let (inner, is_borrowed) = match within(ty, "Option").unwrap_or(ty) {
            Syntax::Reference(inner) => (&*inner.elem, true),
            _ => (ty, false),
        };
        let declared = self.declared(inner, &method.module);
        let of_method = format!("{}.{name}", method.name);
        let ty = match (self.ty(ty, &method.module), declared) {
            (Ok(ty), _) => as_object(ty, table.objects.contains(&of_method)),
            // Read by hand.
            (Err(_), Some(declared)) => Type::Record(declared.name.clone()),
            (Err(error), None) => return Err(error),
        };
        let told = &self.table.arguments;
        let docs = told.get(&of_method).or(told.get(name));
        let defaults = table.defaults.get(&method.name);
        Ok(Argument {
            name: name.to_owned(),
            ty,
            path: declared
                .and_then(|declared| declared.public.clone())
                .unwrap_or_default(),
            is_borrowed,
            default: defaults.and_then(|all| all.get(name).cloned()),
            docs: docs.cloned().unwrap_or_default(),
        })
    }

    fn gives(&self, ty: &Syntax, module: &[String]) -> Outcome<Gives> {
        if matches!(ty, Syntax::Tuple(tuple) if tuple.elems.is_empty()) {
            return Ok(Gives::Nothing);
        }
        Ok(match (self.ty(ty, module), self.declared(ty, module)) {
            (Ok(Type::Option(inner)), _) => Gives::Maybe(*inner),
            (Ok(Type::List(inner)), _) => Gives::List(*inner),
            (Ok(other), _) => Gives::One(other),
            // What no table has is given by hand.
            (Err(_), Some(declared)) => Gives::One(Type::Record(declared.name.clone())),
            (Err(error), None) => return Err(error),
        })
    }

    /// The type of the core that a path names inside a module.
    fn declared(&self, ty: &Syntax, module: &[String]) -> Option<&Declared> {
        self.source
            .resolve(&last_part(ty)?.ident.to_string(), module)
    }

    fn words(&self, name: &str) -> Outcome<Words> {
        let declared = self.source.public(name)?;
        let Shape::Words(words) = &declared.shape else {
            return Err(format!("{name} is no enum of words").into());
        };
        Ok(Words {
            name: self.public_name(name),
            path: declared.public.clone().unwrap_or_default(),
            docs: words.docs.clone(),
            is_plain: words.is_plain && !self.about(name).untaken,
            items: words.items.clone(),
            about: self.about(name),
        })
    }

    /// What the table calls the type of this declaration, if the table has it.
    fn listed(&self, declared: &Declared) -> Option<Type> {
        let is_it = |name: &&String| {
            doc::last(name) == declared.name
                && (self.source.public(name)).is_ok_and(|one| one.module == declared.module)
        };
        self.table.area.iter().find_map(|area| {
            let words = area.words.iter().find(is_it);
            let words = words.map(|name| Type::Words(self.public_name(name)));
            let record = || area.records.iter().chain(&area.options).find(is_it);
            words.or_else(|| record().map(|name| Type::Record(self.public_name(name))))
        })
    }

    fn about(&self, name: &str) -> About {
        let about = self.table.of.get(doc::last(name));
        about.cloned().unwrap_or_default()
    }

    fn public_name(&self, name: &str) -> String {
        let other = self.about(name).name;
        other.unwrap_or_else(|| doc::last(name).to_owned())
    }

    fn record(&self, name: &str) -> Outcome<Record> {
        let declared = self.source.public(name)?;
        let about = self.about(name);
        let structure = &structure(declared)?;
        let fields = self.fields(declared, &about, "")?;
        let is_given = |is_list: bool| {
            let mut given = self.given.iter().filter(|one| one.is_list == is_list);
            given.any(|one| std::ptr::eq(one.declared, declared))
        };
        let is_in = |list: fn(&AreaTable) -> &[String]| {
            let mut lists = self.table.area.iter().map(list);
            lists.any(|names| names.iter().any(|one| one == name))
        };
        let is_option = is_in(|area| &area.options);
        let taken = |field: &&Field| structure.new_takes.contains(&field.core_name);
        let taken = fields.iter().filter(taken).map(|field| &field.core_name);
        let is_whole = fields.iter().any(|field| field.default.is_none());
        let is_made = is_option && is_whole && declared.is_open && !structure.is_builder;
        if is_made && taken.ne(&structure.new_takes) {
            return Err(format!("{name}::new takes no fields, or not in their order").into());
        }
        Ok(Record {
            name: self.public_name(name),
            is_result: is_in(|area| &area.records),
            is_option,
            is_given: is_given(false),
            is_listed: is_given(true),
            path: declared.public.clone().unwrap_or_default(),
            docs: structure.docs.clone(),
            fields,
            is_builder: structure.is_builder,
            is_open: declared.is_open,
            new_takes: structure.new_takes.clone(),
            about,
        })
    }

    /// The fields of a struct, with those that replace others; `prefix` is the path of the
    /// struct itself, where it is within another one.
    fn fields(&self, declared: &Declared, about: &About, prefix: &str) -> Outcome<Vec<Field>> {
        let structure = &structure(declared)?;
        // An enum has methods for what its values hold.
        let mut fields = self.told(declared, about, prefix, "")?;
        for field in &structure.fields {
            let name = &field.name;
            if about.flatten.contains(name) {
                let inner = self.declared(&field.ty, &declared.module);
                let inner = inner.ok_or_else(|| format!("{name}: unknown type"))?;
                let about = self.about(&inner.name);
                fields.extend(self.fields(inner, &about, &format!("{name}."))?);
            } else if !about.hide.contains(name) {
                let made = self.field(declared, field, about, structure);
                let mut made =
                    made.map_err(|error| format!("{}.{name}: {error}", declared.name))?;
                made.access = Access::Field(format!("{prefix}{name}"));
                fields.push(made);
            }
            fields.extend(self.told(declared, about, prefix, name)?);
        }
        for field in &mut fields {
            if about.required.contains(&field.name) {
                field.default = None;
            }
            if about.optional.contains(&field.name) {
                field.default = zero(&field.ty);
            }
            if let Some(renamed) = about.renamed.get(&field.name) {
                field.name.clone_from(renamed);
            }
        }
        Ok(fields)
    }

    /// The methods that are fields behind the field `name`.
    fn told(
        &self,
        declared: &Declared,
        about: &About,
        prefix: &str,
        name: &str,
    ) -> Outcome<Vec<Field>> {
        let methods = about.methods.get(name).into_iter().flatten();
        let methods = methods.map(|method| {
            let (docs, ty) = self.source.method(declared, method)?;
            Ok(Field {
                name: method.clone(),
                docs,
                ty: self.ty(&ty, &declared.module)?,
                default: None,
                access: Access::Method(format!("{prefix}{method}")),
                core_name: method.clone(),
            })
        });
        methods.collect()
    }

    fn field(
        &self,
        declared: &Declared,
        field: &StructField,
        about: &About,
        structure: &Struct,
    ) -> Outcome<Field> {
        let mut ty = self.ty(&field.ty, &declared.module)?;
        // A switch whose default is not found would be turned the wrong way in C.
        if structure.is_builder && ty == Type::Bool && field.default.is_none() {
            return Err("its default is not found".into());
        }
        if about.offsets.contains(&field.name) {
            ty = Type::Offset;
        }
        ty = as_object(ty, about.objects.contains(&field.name));
        let default = field.default.as_ref();
        let default = default.and_then(|value| self.value(value, &ty));
        let is_empty = matches!(ty, Type::Option(_) | Type::List(_) | Type::Dedupe);
        let empty = || zero(&ty).filter(|_| structure.has_default || is_empty);
        Ok(Field {
            default: default.or_else(empty),
            name: field.name.clone(),
            docs: self.said(&field.docs),
            access: Access::Field(field.name.clone()),
            core_name: field.name.clone(),
            ty,
        })
    }

    /// Documentation with the values of the constants that it names: other languages do
    /// not have them.
    fn said(&self, docs: &str) -> String {
        doc::respelled(docs, &|name| {
            let constant = self.source.constant(doc::last(name))?;
            match self.value(constant, &Type::U64)? {
                Value::Int(number) => Some(doc::grouped(number)),
                Value::Float(number) => Some(number.to_string()),
                Value::Text(text) => Some(format!("`{text}`")),
                _ => None,
            }
        })
    }

    fn ty(&self, ty: &Syntax, module: &[String]) -> Outcome<Type> {
        let unknown = || format!("no language has a mirror of `{}`", quote::quote!(#ty));
        match ty {
            Syntax::Reference(inner) => self.ty(&inner.elem, module),
            Syntax::Slice(inner) => Ok(Type::List(Box::new(self.ty(&inner.elem, module)?))),
            // `impl Into<String>` of a builder.
            Syntax::ImplTrait(_) => self.ty(converted(ty).ok_or_else(unknown)?, module),
            Syntax::Path(path) => {
                let part = path.path.segments.last().ok_or_else(unknown)?;
                let name = part.ident.to_string();
                let argument = || -> Outcome<Box<Type>> {
                    let inner = generic(part).ok_or_else(unknown)?;
                    Ok(Box::new(self.ty(inner, module)?))
                };
                Ok(match name.as_str() {
                    "Option" => Type::Option(argument()?),
                    "Vec" => Type::List(argument()?),
                    _ if let Some(simple) = Type::of_rust(&name) => simple,
                    _ => {
                        let declared = self.source.resolve(&name, module).ok_or_else(unknown)?;
                        self.listed(declared).ok_or_else(unknown)?
                    }
                })
            }
            _ => Err(unknown().into()),
        }
    }

    /// A default value, where the expression says it plainly.
    fn value(&self, value: &Expr, ty: &Type) -> Option<Value> {
        let of = |value: &Expr| self.value(value, ty);
        let number = |value: &Expr| match of(value)? {
            Value::Int(number) => Some(number),
            _ => None,
        };
        match value {
            Expr::Lit(literal) => literal_value(&literal.lit),
            Expr::Reference(inner) => of(&inner.expr),
            Expr::Unary(unary) => match of(&unary.expr)? {
                Value::Int(number) => Some(Value::Int(-number)),
                Value::Float(number) => Some(Value::Float(-number)),
                _ => None,
            },
            Expr::Binary(binary) => {
                let (left, right) = (number(&binary.left)?, number(&binary.right)?);
                match binary.op {
                    syn::BinOp::Mul(_) => Some(Value::Int(left * right)),
                    syn::BinOp::Add(_) => Some(Value::Int(left + right)),
                    syn::BinOp::Shl(_) => Some(Value::Int(left << right)),
                    _ => None,
                }
            }
            Expr::Array(array) => {
                let items = array.elems.iter().map(of).collect::<Option<_>>();
                items.map(Value::List)
            }
            Expr::Macro(made) if made.mac.path.is_ident("vec") => {
                let tokens = &made.mac.tokens;
                of(&syn::parse_quote!([#tokens]))
            }
            Expr::Path(path) => {
                let name = path.path.segments.last()?.ident.to_string();
                match path.path.segments.len() {
                    1 if name == "None" => Some(Value::Nothing),
                    1 => of(self.source.constant(&name)?),
                    _ => self.word(ty, &name),
                }
            }
            // `Duration::from_secs(5)`, `Type::default()`, `Vec::new()`.
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else {
                    return None;
                };
                match path.path.segments.last()?.ident.to_string().as_str() {
                    "from_secs" => Some(Value::Int(number(call.args.first()?)? * 1000)),
                    "from_millis" => Some(Value::Int(number(call.args.first()?)?)),
                    "default" | "new" => zero(ty),
                    _ => None,
                }
            }
            // `CONSTANT.map(str::to_owned).to_vec()`, `"text".to_owned()`.
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "map" | "to_vec" | "to_owned" | "into" => of(&call.receiver),
                _ => None,
            },
            _ => None,
        }
    }

    fn word(&self, ty: &Type, variant: &str) -> Option<Value> {
        let Type::Words(name) = ty.inner().item() else {
            return None;
        };
        let listed = self.table.area.iter().flat_map(|area| &area.words);
        let mut words = listed.filter_map(|listed| self.words(listed).ok());
        let words = words.find(|words| words.name == *name)?;
        let item = words.items.iter().find(|item| item.variant == variant)?;
        Some(Value::Word(item.text.clone()))
    }
}

/// What is known of a type with fields, or with methods that tell what its values hold.
fn structure(declared: &Declared) -> Outcome<Struct> {
    match &declared.shape {
        Shape::Struct(structure) => Ok(structure.clone()),
        Shape::Values(docs) => Ok(Struct {
            docs: docs.clone(),
            has_default: false,
            is_builder: false,
            new_takes: Vec::new(),
            fields: Vec::new(),
        }),
        _ => Err(format!("{} is no struct with fields", declared.name).into()),
    }
}

/// What stands within a generic type of this name.
fn within<'t>(ty: &'t Syntax, name: &str) -> Option<&'t Syntax> {
    let part = last_part(ty)?;
    (part.ident == name).then(|| generic(part)).flatten()
}

/// What `impl Into<T>` and `impl AsRef<T>` become.
fn converted(ty: &Syntax) -> Option<&Syntax> {
    let Syntax::ImplTrait(implied) = ty else {
        return None;
    };
    implied.bounds.iter().find_map(|bound| {
        let syn::TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        generic(bound.path.segments.last()?)
    })
}

/// JSON that is an object, where the table says so.
fn as_object(ty: Type, is_object: bool) -> Type {
    match ty {
        Type::Json if is_object => Type::JsonObject,
        Type::Option(inner) => Type::Option(Box::new(as_object(*inner, is_object))),
        other => other,
    }
}

fn literal_value(literal: &Lit) -> Option<Value> {
    Some(match literal {
        Lit::Bool(value) => Value::Bool(value.value),
        Lit::Int(value) => Value::Int(value.base10_parse().ok()?),
        Lit::Float(value) => Value::Float(value.base10_parse().ok()?),
        Lit::Str(value) => Value::Text(value.value()),
        _ => return None,
    })
}

/// The value that a field has where nothing says another.
fn zero(ty: &Type) -> Option<Value> {
    Some(match ty {
        Type::Bool => Value::Bool(false),
        Type::U32 | Type::U64 | Type::Size | Type::I64 => Value::Int(0),
        Type::F32 | Type::F64 => Value::Float(0.0),
        Type::Text => Value::Text(String::new()),
        Type::Option(_) | Type::Scope => Value::Nothing,
        Type::Dedupe => Value::ByContent,
        Type::List(_) => Value::List(Vec::new()),
        Type::Record(name) => Value::Record(name.clone()),
        _ => return None,
    })
}
