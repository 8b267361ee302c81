//! Which kind an error is, and whether another try may help.

use facsimile_agent::ErrorKind;

use super::Complaint;
use crate::endpoint::Family;

/// Tells a complaint's kind by its status and names; by its words only where a provider gives nothing else.
pub(super) fn classify(family: Family, complaint: &Complaint) -> (ErrorKind, bool) {
    let status = complaint.status.unwrap_or(0);
    let is = |names: &[&str]| complaint.names.iter().any(|name| names.contains(&name.as_str()));
    let begins = |starts: &[&str]| {
        complaint.names.iter().any(|name| starts.iter().any(|start| name.starts_with(start)))
    };
    let words = complaint.message.to_ascii_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    let is_request_fault = matches!(status, 0 | 400 | 422);

    let once = |kind| (kind, false);
    if is(&["invalid_api_key", "authentication_error", "API_KEY_INVALID", "UNAUTHENTICATED"]) || status == 401
    {
        return once(ErrorKind::BadKey);
    }
    if is(&["insufficient_quota", "credit_balance_exhausted", "billing_error", "billing_not_active"])
        || status == 402
        || is_used_up(complaint)
        || (is_request_fault
            && says(&["credit balance is too low", "spend limit", "specified api usage limits"]))
    {
        return once(ErrorKind::NoCredit);
    }
    if is(&["context_length_exceeded", "request_too_large", "exceed_context_size_error"])
        || status == 413
        || (is_request_fault
            && says(&["prompt is too long", "maximum context length", "context size", "token count"]))
    {
        return once(ErrorKind::TooLong);
    }
    if begins(&["invalid_image", "image_", "unsupported_image", "invalid_base64_image"])
        || (is_request_fault && says(&[".image", "input image", "image exceeds", "could not process image"]))
    {
        return once(ErrorKind::BadImage);
    }
    if is(&["content_filter", "content_policy_violation", "moderation_blocked", "flagged_input"]) {
        return once(ErrorKind::Blocked);
    }
    if is(&["model_not_found", "not_found_error", "NOT_FOUND"])
        || (status == 404 && complaint.is_structured)
        || (is_request_fault && says(&["model"]) && says(&["not found", "does not exist", "not exist"]))
    {
        return once(ErrorKind::NoModel);
    }
    if is(&["permission_error", "PERMISSION_DENIED", "unsupported_country_region_territory"])
        || status == 403
        || (family == Family::Gemini && is(&["FAILED_PRECONDITION"]))
    {
        return once(ErrorKind::NoAccess);
    }
    let again = |kind| (kind, true);
    if is(&["rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"]) || status == 429 {
        return again(ErrorKind::RateLimit);
    }
    let overloaded =
        ["server_is_overloaded", "slow_down", "overloaded_error", "UNAVAILABLE", "provider_unavailable"];
    if is(&overloaded) || matches!(status, 503 | 529) || (family == Family::OpenAiChat && status == 502) {
        return again(ErrorKind::Overloaded);
    }
    let faults = ["server_error", "api_error", "timeout_error", "INTERNAL", "DEADLINE_EXCEEDED"];
    if is(&faults) || status >= 500 || matches!(status, 408 | 409) {
        return again(ErrorKind::Unknown);
    }
    match status {
        400..500 => once(ErrorKind::BadRequest),
        _ if is(&["invalid_request_error", "INVALID_ARGUMENT", "invalid_prompt"]) => {
            once(ErrorKind::BadRequest)
        }
        _ => once(ErrorKind::Unknown),
    }
}

/// Whether Google's quota is that of a day or of the bill, which no short wait gives back.
fn is_used_up(complaint: &Complaint) -> bool {
    complaint.names.iter().any(|name| name == "RESOURCE_EXHAUSTED")
        && complaint.names.iter().any(|name| {
            let name = name.to_ascii_lowercase();
            name.contains("perday") || name.contains("per_day") || name.contains("billing")
        })
}
