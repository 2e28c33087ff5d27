/// A rendered push: the provider request without the credential.
package struct PushRequest: Sendable, Equatable {
    /// The `:path`; contains the device token for APNs, so it is as secret as that.
    package var path: String
    /// The fields except pseudo fields and `authorization`, in the order of sending.
    package var headers: [PushHeader]
    /// The JSON body; never above the provider's limit.
    package var body: [UInt8]
    /// The badge that the push carries; nil when it carries none, as silent pushes do (R185).
    package var badge: Int64?
}
