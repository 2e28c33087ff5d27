import GatewayHTTP
import Messaging

/// The limits of connections and windows, reduced to fit the limit of file descriptors.
struct ConnectionLimits {
    /// The limit of file descriptors.
    let descriptors: Int
    /// The limit of connections to providers.
    let providers: Int
    /// The limits of the server.
    let server: ServerLimits
    /// The limits of windows.
    let windows: WindowLimits

    /// Reduces the limits of settings.
    init(_ settings: GatewaySettings, descriptors: Int) {
        self.descriptors = descriptors
        providers = DescriptorLimit.providers(wanted: settings.provider.maxConnections, limit: descriptors)
        var server = settings.server.limits
        server.maxConnections = DescriptorLimit.connections(
            wanted: server.maxConnections,
            providers: providers,
            limit: descriptors
        )
        self.server = server
        var windows = settings.window.limits
        windows.maxOpen = DescriptorLimit.windows(
            wanted: windows.maxOpen,
            connections: server.maxConnections + providers,
            limit: descriptors
        )
        self.windows = windows
    }
}
