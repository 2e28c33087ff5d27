/// How a route's refusals look.
enum ErrorShape: Sendable {
    /// `application/problem+json`, as everywhere in our own API.
    case problem
    /// `{"error":{...}}`, as the wire adaptors have it (seed-systems section 2.6).
    case adaptor
}
