//! What the tools of a variant have beside its files: pictures, other options, ports, and what follows from them.

use std::sync::Arc;

use facsimile_agent::ports::{ImageOrigin, VisibleImage, VisibleMedia};
use facsimile_agent::tool::{Capabilities, OptionFiles};
use facsimile_agent::{RunId, VariantIndex, VersionId};

use crate::error::StudioError;
use crate::looking::ports::Sight;
use crate::makers::Purpose;
use crate::ports::PortsOf;
use crate::run::opening::Pictured;
use crate::run::variant::Equipment;
use crate::studio::Studio;

impl Studio {
    /// The equipment of a variant of a run that is about to start.
    pub(crate) fn equipment(
        &self,
        pictures: &[Pictured],
        options: Arc<[OptionFiles]>,
        sight: &Sight,
        of: PortsOf,
    ) -> Equipment {
        let mut ports = self.ports(of);
        sight.lend_to(&mut ports);
        let media = media_of(pictures);
        let makers = self.makers();
        let capabilities = Capabilities {
            generation: makers.making(Purpose::Generate),
            editing: makers.making(Purpose::Edit),
            cutting_out: makers.making(Purpose::CutOut),
            ..Capabilities::default()
        };
        let capabilities = capabilities.with(&ports, &media, &options);
        Equipment { capabilities, media, options, ports }
    }

    /// What the run that made a turn's parent came to beside it, option by option.
    pub(crate) fn options_beside(
        &self,
        parent: Option<VersionId>,
    ) -> Result<Arc<[OptionFiles]>, StudioError> {
        let mut parent = parent;
        let versions = self.store().versions();
        // What was changed by hand comes from a version that a run has made.
        while let Some(version) = parent {
            let version = versions.get(version)?;
            if let Some((run, own)) = version.made_by {
                return self.options_of(run, own);
            }
            parent = version.parent;
        }
        Ok(Arc::default())
    }

    /// The options of a run beside the one that is worked on.
    fn options_of(&self, run: RunId, own: VariantIndex) -> Result<Arc<[OptionFiles]>, StudioError> {
        let versions = self.store().versions();
        let variants = self.store().runs().get(run)?.variants.into_iter();
        let options = variants.filter(|variant| variant.index != own).filter_map(|variant| {
            let files = versions.files(variant.version?);
            Some(files.map(|files| OptionFiles {
                number: u32::from(variant.index.0) + 1,
                engine: variant.engine,
                files: files.into_iter().collect(),
            }))
        });
        Ok(options.collect::<Result<_, _>>()?)
    }
}

/// The person's pictures, in the order of the prompt.
fn media_of(pictures: &[Pictured]) -> VisibleMedia {
    let image = |picture: &Pictured| VisibleImage {
        name: picture.name.clone(),
        origin: ImageOrigin::Uploaded,
        asset: picture.asset.clone(),
        mime: picture.mime.clone(),
        bytes: Arc::clone(&picture.bytes),
        width_px: picture.raster.width(),
        height_px: picture.raster.height(),
        is_animated: picture.raster.format().is_moving(&picture.bytes),
    };
    VisibleMedia::of(pictures.iter().map(image).collect())
}
