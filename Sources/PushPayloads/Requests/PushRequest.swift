/// A rendered push: what is sent to the provider, without the credential.
package struct PushRequest: Sendable, Equatable {
    /// The `:path`; holds the device's token for APNs, so it is as secret as that.
    package var path: String
    /// The fields beside the pseudo ones and `authorization`, in the order in which they are sent.
    package var headers: [PushHeader]
    /// The JSON body; never over the provider's limit.
    package var body: [UInt8]
    /// The badge that the push really carries; nil when it carries none, as silent pushes do (R185).
    package var badge: Int64?

    /// Takes a rendered push.
    ///
    /// - Parameters:
    ///   - path: The `:path`.
    ///   - headers: The fields beside the pseudo ones and `authorization`.
    ///   - body: The JSON body.
    ///   - badge: The badge that the push really carries.
    package init(path: String, headers: [PushHeader], body: [UInt8], badge: Int64?) {
        self.path = path
        self.headers = headers
        self.body = body
        self.badge = badge
    }
}
