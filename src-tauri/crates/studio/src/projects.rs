//! Projects as a whole: another name, a second one like it, away with it, out into a file and in again.

use std::path::Path;

use facsimile_agent::ProjectId;

use crate::archive;
use crate::error::StudioError;
use crate::run::Which;
use crate::studio::Studio;

/// Longer names are cut by every list anyway.
const MAX_NAME_CHARACTERS: usize = 200;

impl Studio {
    /// Gives a project another name.
    pub fn rename_project(&self, id: ProjectId, name: &str) -> Result<(), StudioError> {
        Ok(self.store().projects().rename(id, &name_of(name)?)?)
    }

    /// A second project with everything the first one holds.
    pub fn duplicate_project(&self, id: ProjectId, name: &str) -> Result<ProjectId, StudioError> {
        Ok(self.store().copies().duplicate(id, &name_of(name)?)?)
    }

    /// Removes a project with everything in it; what still works on it is stopped first. Call it from a thread that
    /// may block.
    pub fn delete_project(&self, id: ProjectId) -> Result<(), StudioError> {
        for run in self.runs_of(id)? {
            self.cancel(run.id, Which::All);
            // A run of another program, or of an earlier start, has no end to wait for here.
            let _ = self.runtime().block_on(self.ended(run.id));
        }
        // Tasks outlive their runs, but not their project.
        for task in self.store().tasks().of_project(id)? {
            self.tasks().cancel(id, task.id)?;
        }
        self.store().projects().delete(id)?;
        self.thumbnails().forget();
        Ok(())
    }

    /// Saves a project as one file and tells how large that is.
    pub fn export_project(&self, id: ProjectId, file: &Path) -> Result<u64, StudioError> {
        archive::write(self.store(), &self.store().copies().take(id)?, file)
    }

    /// Takes a project's file in as a new project: all of it or nothing.
    pub fn import_project(&self, file: &Path) -> Result<ProjectId, StudioError> {
        Ok(archive::take_in(self.store(), file)?)
    }
}

/// A name as it is kept, if it is one.
pub(crate) fn name_of(typed: &str) -> Result<String, StudioError> {
    let name: String = typed.trim().chars().filter(|c| !c.is_control()).collect();
    match name.chars().count() {
        1..=MAX_NAME_CHARACTERS => Ok(name),
        _ => Err(StudioError::BadName),
    }
}
