internal import GuardedHTTP
package import Hummingbird

/// The context of a request in the router.
package struct GatewayContext: RequestContext {
    /// The storage that Hummingbird needs.
    package var coreContext: CoreRequestContextStorage
    /// The request's id; set by the first middleware.
    var requestID = ""
    /// The address of the connection's remote end; nil for a socket without addresses.
    let peer: InternetAddress?
    /// The facts about the request that are collected while it is handled.
    let notes = RequestNotes()

    /// Creates a context from the connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = InternetAddress(source.channel.remoteAddress)
    }
}
