internal import HTTPTypes
internal import Hummingbird
internal import TextFormats

/// The consent to deliveries of CloudEvents, which their senders ask for first (CloudEvents, HTTP 1.1 Web Hooks for Event
/// Delivery section 4).
///
/// It grants nothing: each event needs a credential. So every sender gets it, for every brand, also for none.
enum EventConsent {
    /// Returns the response to a request for consent; nil for any other request.
    static func response(to request: Request) -> Response? {
        guard request.method == .options, let origin = request.headers.value(.webHookRequestOrigin) else { return nil }
        let segments = request.uri.path.byteSplit("/", omittingEmptySubsequences: false)
        guard segments.count == 5, segments[1].hasSameBytes(as: "v1"), segments[2].hasSameBytes(as: "brands"),
            segments[4].hasSameBytes(as: "events")
        else { return nil }
        return Response(
            status: .ok,
            // `*` is a rate without limit: a sender above its limit gets 429.
            headers: [.allow: "POST", .webHookAllowedOrigin: origin, .webHookAllowedRate: "*"]
        )
    }
}
