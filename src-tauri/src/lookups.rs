//! A page can ask the engine to look host names up ahead of time, and a script can spell whatever it likes into a
//! name. No proxy holds that back: the engine goes by what the system says of proxies, not by what its view was given.
//! So views are told to look nothing up ahead.

use std::ffi::{CStr, c_char};

use webkit2gtk::glib::ffi::gboolean;
use webkit2gtk::glib::translate::ToGlibPtr;
use webkit2gtk::{WebView, WebViewExt, ffi::WebKitSettings};

/// What connects, or looks names up, for links that nobody follows.
const AHEAD_OF_TIME: [&CStr; 3] = [c"LinkDNSPrefetch", c"LinkPreconnect", c"LinkPreconnectEarlyHints"];

#[repr(C)]
struct FeatureList {
    _opaque: [u8; 0],
}

#[repr(C)]
struct Feature {
    _opaque: [u8; 0],
}

// The bindings know nothing of features.
#[allow(unsafe_code)]
unsafe extern "C" {
    fn webkit_settings_get_all_features() -> *mut FeatureList;
    fn webkit_feature_list_get_length(list: *mut FeatureList) -> usize;
    fn webkit_feature_list_get(list: *mut FeatureList, index: usize) -> *mut Feature;
    fn webkit_feature_list_unref(list: *mut FeatureList);
    fn webkit_feature_get_identifier(feature: *mut Feature) -> *const c_char;
    fn webkit_settings_set_feature_enabled(
        settings: *mut WebKitSettings,
        feature: *mut Feature,
        enabled: gboolean,
    );
}

/// Keeps a view from connecting and from looking names up for links that nobody follows.
pub fn none_ahead_of_time(view: &WebView) {
    let Some(settings) = WebViewExt::settings(view) else { return };
    // SAFETY: the list is ours until it is given back; its features and their identifiers, which always end in a
    // zero, live as long as the list, and the settings as long as this function.
    #[allow(unsafe_code)]
    unsafe {
        let features = webkit_settings_get_all_features();
        for index in 0..webkit_feature_list_get_length(features) {
            let feature = webkit_feature_list_get(features, index);
            if AHEAD_OF_TIME.contains(&CStr::from_ptr(webkit_feature_get_identifier(feature))) {
                webkit_settings_set_feature_enabled(settings.to_glib_none().0, feature, 0);
            }
        }
        webkit_feature_list_unref(features);
    }
}
