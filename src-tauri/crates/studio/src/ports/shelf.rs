//! Pictures kept as files of one project.

use std::sync::Arc;

use facsimile_agent::ports::{AssetShelf, KeptAsset};
use facsimile_agent::{ProjectId, ProjectPath, ToolFailure};
use facsimile_store::{HistoryStore, NewAsset};
use facsimile_vision::PictureFormat;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::{blocking, sorry};

/// The shelf of a project.
pub(super) struct ProjectShelf {
    pub(super) store: HistoryStore,
    pub(super) project: ProjectId,
}

impl AssetShelf for ProjectShelf {
    fn keep(
        &self,
        label: &str,
        mime: &str,
        bytes: Arc<[u8]>,
    ) -> BoxFuture<'_, Result<KeptAsset, ToolFailure>> {
        let (store, project) = (self.store.clone(), self.project);
        let (label, mime) = (label.to_owned(), mime.to_owned());
        let keep = move || {
            let asset = NewAsset::new(bytes.to_vec(), mime.as_str(), extension_of(&mime));
            let kept = store.assets().put_for(project, &label, asset).map_err(|error| sorry(&error))?;
            let path = ProjectPath::parse(&kept.path_in_page).map_err(|error| sorry(&error))?;
            Ok(KeptAsset { id: kept.id, path })
        };
        blocking(keep).boxed()
    }
}

fn extension_of(mime: &str) -> &'static str {
    match mime {
        "image/svg+xml" => "svg",
        "image/avif" => "avif",
        "image/bmp" => "bmp",
        _ if mime == PictureFormat::Jpeg.mime() => PictureFormat::Jpeg.extension(),
        _ if mime == PictureFormat::Gif.mime() => PictureFormat::Gif.extension(),
        _ if mime == PictureFormat::WebP.mime() => PictureFormat::WebP.extension(),
        _ => PictureFormat::Png.extension(),
    }
}
