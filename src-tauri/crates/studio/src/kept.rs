//! Lists among the settings. A row that this program cannot read stays where it is, for the one that can; so do
//! fields of a row that this program does not know.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::StudioError;
use crate::studio::Studio;

impl Studio {
    /// The rows of a list that can be read.
    pub(crate) fn kept_list<T: DeserializeOwned>(&self, key: &str) -> Result<Vec<T>, StudioError> {
        Ok(self.kept_rows(key)?.into_iter().filter_map(|row| serde_json::from_value(row).ok()).collect())
    }

    /// Keeps a list in the place of the rows that can be read. Rows with an `id` are the same rows as before.
    pub(crate) fn keep_list<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        items: &[T],
    ) -> Result<(), StudioError> {
        let before = self.kept_rows(key)?;
        let mut rows = Vec::with_capacity(items.len());
        for item in items {
            let Ok(mut row) = serde_json::to_value(item) else { continue };
            let former =
                before.iter().find(|former| former.get("id").is_some_and(|id| row.get("id") == Some(id)));
            if let (Value::Object(fields), Some(Value::Object(former))) = (&mut row, former) {
                for (name, value) in former {
                    fields.entry(name).or_insert_with(|| value.clone());
                }
            }
            rows.push(row);
        }
        rows.extend(before.into_iter().filter(|row| serde_json::from_value::<T>(row.clone()).is_err()));
        Ok(self.store().settings().set(key, &rows)?)
    }

    fn kept_rows(&self, key: &str) -> Result<Vec<Value>, StudioError> {
        Ok(self.store().settings().get(key)?.unwrap_or_default())
    }
}
