internal import TextFormats

extension AppSettings {
    /// The caller that set an app's endpoints: endpoints set by a tenant are checked, those set by the administrator
    /// are not.
    package enum EndpointSetter: String, Codable, Sendable {
        /// The instance's administrator.
        case admin
        /// A service account of the brand.
        case tenant
    }

    /// A URL that the gateway connects to for an app.
    package struct Endpoint: Sendable {
        /// The member, as a JSON pointer into the app's JSON.
        package let pointer: String
        /// The URL.
        package let url: String
        /// Whether the address is checked also if the administrator set it, as that of a webhook.
        package var isAlwaysChecked = false
    }

    /// The endpoints in the settings, in a fixed order.
    package var endpoints: [Endpoint] {
        [
            ("/apns/endpoints/production", apns?.endpoints?.production),
            ("/apns/endpoints/sandbox", apns?.endpoints?.sandbox),
            ("/fcm/endpoint", fcm?.endpoint),
            ("/fcm/serviceAccount/token_uri", fcm?.serviceAccount.tokenUri),
        ].compactMap { pointer, url in url.map { Endpoint(pointer: pointer, url: $0) } }
            + [pushProxy].compactMap { proxy in
                proxy.map { Endpoint(pointer: "/pushProxy/url", url: $0.url, isAlwaysChecked: true) }
            }
    }

    /// Returns the setter to store for the endpoints when these settings replace others.
    ///
    /// - Parameters:
    ///   - caller: The caller that puts the settings.
    ///   - old: The current settings; nil for a new app.
    /// - Returns: The administrator if it is the caller; for a tenant the old setter if no endpoint changes, else the
    ///   tenant.
    package func endpointSetter(for caller: EndpointSetter, replacing old: AppSettings?) -> EndpointSetter {
        guard caller == .tenant, let old else { return caller }
        let isUnchanged = endpoints.elementsEqual(old.endpoints) {
            $0.pointer.hasSameBytes(as: $1.pointer) && $0.url.hasSameBytes(as: $1.url)
        }
        return isUnchanged ? old.endpointsBy ?? .admin : .tenant
    }
}
