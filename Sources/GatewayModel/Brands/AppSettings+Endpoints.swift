internal import TextFormats

extension AppSettings {
    /// Who set an app's endpoints: where a tenant may lead the gateway is checked, where its administrator does is not.
    package enum EndpointSetter: String, Codable, Sendable {
        /// The instance's administrator.
        case admin
        /// A service account of the brand.
        case tenant
    }

    /// An address that the gateway connects to for an app.
    package struct Endpoint: Sendable {
        /// The member, as a JSON pointer into the app's JSON.
        package let pointer: String
        /// The URL.
        package let url: String
    }

    /// The addresses that the settings name, in a fixed order.
    package var endpoints: [Endpoint] {
        [
            ("/apns/endpoints/production", apns?.endpoints?.production),
            ("/apns/endpoints/sandbox", apns?.endpoints?.sandbox),
            ("/fcm/endpoint", fcm?.endpoint),
            ("/fcm/serviceAccount/token_uri", fcm?.serviceAccount.tokenUri),
        ].compactMap { pointer, url in url.map { Endpoint(pointer: pointer, url: $0) } }
    }

    /// Decides whose endpoints these settings hold when they take the place of others.
    ///
    /// - Parameters:
    ///   - caller: Who puts the settings.
    ///   - old: The settings as they are; nil for a new app.
    /// - Returns: The administrator's word is the administrator's; a tenant's leaves the endpoints whose they are only where
    ///   it changes none of them.
    package func endpointSetter(for caller: EndpointSetter, replacing old: AppSettings?) -> EndpointSetter {
        guard caller == .tenant, let old else { return caller }
        let isUnchanged = endpoints.elementsEqual(old.endpoints) {
            $0.pointer.hasSameBytes(as: $1.pointer) && $0.url.hasSameBytes(as: $1.url)
        }
        return isUnchanged ? old.endpointsBy ?? .admin : .tenant
    }
}
