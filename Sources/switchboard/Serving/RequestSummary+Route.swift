import GatewayHTTP

extension RequestSummary {
    /// The route as metrics show it: `/v1/brands/{brand}/events`; `unmatched` when there was none.
    var routeTemplate: String {
        guard route.hasPrefix("/") else { return "unmatched" }
        guard route.utf8.contains(UInt8(ascii: ":")) else { return route }
        return route.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
            .joined(separator: "/")
    }
}
