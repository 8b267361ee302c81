//! Which tables belong to a project, as the foreign keys of the database say.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::error::Worked;
use crate::rows::all;

const ROOT: &str = "projects";

/// A table and what its rows point to.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: String,
    /// With the place in the primary key, from 1; 0 for those outside.
    columns: Vec<(String, u32)>,
    keys: Vec<ForeignKey>,
}

#[derive(Debug)]
struct ForeignKey {
    parent: String,
    from: Vec<String>,
    to: Vec<String>,
    cascades: bool,
}

impl Table {
    fn of(connection: &Connection, name: String) -> Worked<Self> {
        let sql = "SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid";
        let columns = all(connection, sql, [&name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let sql = "SELECT id, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?1) ORDER BY id, seq";
        let links = all(connection, sql, [&name], |row| {
            let [parent, from, to, on_delete]: [String; 4] =
                [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
            Ok((row.get::<_, i64>(0)?, parent, from, to, on_delete))
        })?;
        let mut keys: BTreeMap<i64, ForeignKey> = BTreeMap::new();
        for (id, parent, from, to, on_delete) in links {
            let cascades = on_delete == "CASCADE";
            let key = keys.entry(id).or_insert(ForeignKey { parent, from: vec![], to: vec![], cascades });
            key.from.push(from);
            key.to.push(to);
        }
        Ok(Self { name, columns, keys: keys.into_values().collect() })
    }

    /// The columns that travel: a number that only counts the insertions is given anew.
    pub(super) fn copied_columns(&self) -> impl Iterator<Item = &str> {
        let counted = self.is_counted();
        let columns = self.columns.iter().map(|(name, _)| name.as_str());
        columns.filter(move |name| !counted || *name != "nth")
    }

    /// The columns that point to rows of another table, with that table.
    pub(super) fn references(&self) -> impl Iterator<Item = (&str, &str)> {
        self.keys.iter().flat_map(|key| key.from.iter().map(|from| (from.as_str(), key.parent.as_str())))
    }

    /// Whether `nth` is the order of insertion and nothing else.
    fn is_counted(&self) -> bool {
        let mut key = self.columns.iter().filter(|(_, place)| *place > 0);
        matches!((key.next(), key.next()), (Some((name, _)), None) if name == "nth")
    }

    fn order(&self) -> String {
        let mut key: Vec<_> = self.columns.iter().filter(|(_, place)| *place > 0).collect();
        key.sort_by_key(|(_, place)| *place);
        key.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// The tables that go when a project goes.
#[derive(Debug)]
pub(super) struct Owned(BTreeMap<String, Table>);

impl Owned {
    pub(super) fn of(connection: &Connection) -> Worked<Self> {
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let names: Vec<String> = all(connection, sql, (), |row| row.get(0))?;
        let mut others = names
            .into_iter()
            .map(|name| Ok((name.clone(), Table::of(connection, name)?)))
            .collect::<Worked<BTreeMap<_, _>>>()?;
        let mut owned: BTreeMap<String, Table> = others.remove_entry(ROOT).into_iter().collect();
        loop {
            let is_owned =
                |table: &Table| table.keys.iter().any(|key| key.cascades && owned.contains_key(&key.parent));
            let Some(next) = others.iter().find(|(_, table)| is_owned(table)).map(|(name, _)| name.clone())
            else {
                return Ok(Self(owned));
            };
            owned.extend(others.remove_entry(&next));
        }
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = &Table> {
        self.0.values()
    }

    pub(super) fn table(&self, name: &str) -> Option<&Table> {
        self.0.get(name)
    }

    /// The rows of the project `?1` in a table.
    pub(super) fn select(&self, table: &Table) -> String {
        let columns = table.copied_columns().collect::<Vec<_>>().join(", ");
        format!(
            "SELECT {columns} FROM {} WHERE {} ORDER BY {}",
            table.name,
            self.belongs(table),
            table.order()
        )
    }

    fn belongs(&self, table: &Table) -> String {
        if table.name == ROOT {
            return "id = ?1".to_owned();
        }
        let ways: Vec<_> = table
            .keys
            .iter()
            .filter(|key| key.cascades)
            .filter_map(|key| {
                let parent = self.table(&key.parent)?;
                let (from, to) = (key.from.join(", "), key.to.join(", "));
                Some(format!("({from}) IN (SELECT {to} FROM {} WHERE {})", key.parent, self.belongs(parent)))
            })
            .collect();
        format!("({})", ways.join(" OR "))
    }
}
