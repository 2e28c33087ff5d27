/// Every key of log metadata, declared once; values never hold a token, a secret or a message's text.
package enum LogKey {
    /// The brand.
    package static let brand = "brand.id"
    /// The app.
    package static let app = "app.id"
    /// The consumer.
    package static let consumer = "consumer.id"
    /// The device.
    package static let device = "device.id"
    /// The message, which is also the push message id.
    package static let message = "message.id"
    /// The delivery.
    package static let delivery = "delivery.id"
    /// The lane's number in the store.
    package static let lane = "lane.id"
    /// The lane's name: `brand/app/provider/environment`.
    package static let laneName = "lane.name"
    /// The platform of devices: `ios`, `android`, `harmony` or `web`.
    package static let platform = "device.platform"
    /// The provider.
    package static let provider = "provider"
    /// The reason as the provider wrote it.
    package static let reason = "provider.reason"
    /// The HTTP status of a provider's response.
    package static let providerStatus = "provider.status"
    /// The outcome of a push.
    package static let outcome = "outcome"
    /// The request's id.
    package static let request = "request.id"
    /// The caller's trace id.
    package static let trace = "trace.id"
    /// The HTTP method.
    package static let method = "http.method"
    /// The route template.
    package static let route = "http.route"
    /// The HTTP status of the gateway's response.
    package static let status = "http.status"
    /// The caller's address.
    package static let peer = "peer.address"
    /// The kind of an authenticated caller: `admin`, `serviceAccount` or `session`.
    package static let callerKind = "caller.kind"
    /// The id of an authenticated caller: a service account's, or a session's consumer.
    package static let callerID = "caller.id"
    /// The stable code of an error.
    package static let errorCode = "error.code"
    /// The text of an error, without secrets.
    package static let errorText = "error.text"
    /// A count.
    package static let count = "count"
    /// The number of devices.
    package static let devices = "devices"
    /// A duration in milliseconds.
    package static let milliseconds = "duration.ms"
    /// A wait in seconds.
    package static let seconds = "wait.seconds"
    /// The newest time in the data, RFC 3339.
    package static let storedTime = "time.stored"
    /// The system clock's time, RFC 3339.
    package static let systemTime = "time.system"
    /// A file or directory of the gateway.
    package static let path = "path"
    /// A size in bytes.
    package static let bytes = "bytes"
    /// The address of a listener.
    package static let address = "address"
    /// The number of this start of this node.
    package static let incarnation = "incarnation"
    /// A link host.
    package static let host = "link.host"
    /// The id of a helpdesk's webhook.
    package static let hook = "hook.id"
    /// A setting's name.
    package static let setting = "setting"
    /// The program's version.
    package static let version = "version"
    /// A log level.
    package static let level = "log.level"
    /// Settings that take effect only after a restart.
    package static let needsRestart = "setting.needs_restart"
    /// The setting that was probably meant.
    package static let nearest = "nearest"
    /// The resource that the host lacks.
    package static let fault = "machine.fault"
    /// The limit that applies.
    package static let limit = "limit"
    /// The kind of data that housekeeping deletes.
    package static let housekeepingKind = "housekeeping.kind"
    /// The first digits of a certificate's fingerprint.
    package static let certificate = "certificate.fingerprint"
    /// The end of a certificate's validity, RFC 3339.
    package static let certificateExpiry = "certificate.expires"
    /// A signal's name.
    package static let signal = "signal"
}
