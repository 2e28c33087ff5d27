/// How a route's refusals look.
enum ErrorShape: Sendable {
    /// `application/problem+json`, as everywhere in our own API.
    case problem
    /// `{"error":{...}}`, as the wire adaptors have it (LimitsAndErrors page).
    case adaptor
}
