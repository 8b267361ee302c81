//! Things found in a picture by the variant's own model, in a conversation of its own.

use std::sync::Arc;

use facsimile_agent::ports::{BoxFinder, BoxInThousandths, VisibleImage};
use facsimile_agent::{SpendCap, ToolFailure};
use facsimile_providers::media::boxes::{self, INSTRUCTIONS};
use facsimile_providers::{ConnectSpec, Connector, images};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::connect::Connection;

/// Asks a model.
pub(super) struct FindsBoxes {
    pub(super) connection: Connection,
    pub(super) connector: Arc<Connector>,
    pub(super) spend: SpendCap,
}

impl BoxFinder for FindsBoxes {
    fn find(
        &self,
        image: &VisibleImage,
        descriptions: &[String],
    ) -> BoxFuture<'_, Result<Vec<Option<BoxInThousandths>>, ToolFailure>> {
        let (bytes, descriptions) = (Arc::clone(&image.bytes), descriptions.to_vec());
        async move {
            let Connection { endpoint, key, model } = self.connection.clone();
            let picture = super::blocking(move || {
                images::whole(&bytes).map_err(|failure| ToolFailure::new(failure.message))
            });
            let spec = ConnectSpec {
                endpoint,
                key,
                model,
                effort: None,
                system: INSTRUCTIONS.to_owned(),
                tools: Vec::new(),
                continuation_tools: Vec::new(),
                cache_key: "boxes".to_owned(),
            };
            let session = self.connector.connect(spec);
            let mut session = session.map_err(|error| ToolFailure::new(error.failure.message))?;
            let found = boxes::find(session.as_mut(), picture.await?, &descriptions, &self.spend).await;
            let found = found.map_err(|failure| ToolFailure::new(failure.message))?;
            let thousandths = |edges: boxes::Thousandths| BoxInThousandths(edges.map(f64::from));
            Ok(found.into_iter().map(|edges| edges.map(thousandths)).collect())
        }
        .boxed()
    }
}
