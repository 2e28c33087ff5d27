internal import GuardedHTTP
package import Hummingbird

/// What goes along with a request through the router.
package struct GatewayContext: RequestContext {
    /// What Hummingbird needs.
    package var coreContext: CoreRequestContextStorage
    /// What names the request; set by the first middleware.
    var requestID = ""
    /// The address of the connection's other end; nil for a socket without addresses.
    let peer: InternetAddress?
    /// What is learned of the request.
    let notes = RequestNotes()

    /// Takes what the server knows of the connection.
    ///
    /// - Parameter source: The connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = InternetAddress(source.channel.remoteAddress)
    }
}
