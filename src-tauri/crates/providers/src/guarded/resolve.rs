//! Names become addresses in one place, and only admitted ones get out: the connection is opened to exactly what
//! was checked, however the name is answered the next time.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::AddressGate;

/// Finds the addresses of a name. The program's own is [`SystemNames`].
///
/// An implementor promises to answer with all addresses it knows, or with an error.
pub trait Names: Send + Sync + 'static {
    /// The addresses of a host.
    fn addresses(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The names as this machine resolves them.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemNames;

impl Names for SystemNames {
    fn addresses(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let host = host.to_owned();
        async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        }
        .boxed()
    }
}

/// A name that leads somewhere it may not.
#[derive(Debug, thiserror::Error)]
#[error("{0} is not on the public internet")]
pub(super) struct NotAdmitted(pub(super) String);

/// Resolves through [`Names`] and lets only admitted addresses out.
pub(super) struct CheckedNames {
    pub(super) names: Arc<dyn Names>,
    pub(super) gate: Arc<dyn AddressGate>,
}

impl Resolve for CheckedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let (looked_up, gate) = (self.names.addresses(&host), Arc::clone(&self.gate));
        Box::pin(async move {
            let addresses = looked_up.await?;
            // One private address among public ones is a name that means no good.
            if addresses.is_empty() || !addresses.iter().all(|address| gate.admits(*address)) {
                return Err(NotAdmitted(host).into());
            }
            let checked: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(checked)
        })
    }
}
