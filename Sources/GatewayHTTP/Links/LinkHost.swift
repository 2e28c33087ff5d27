internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity

/// The link host that a request names, if it is one.
struct LinkHost {
    private let request: Request
    /// The apps whose links are this host's, by id.
    let apps: [DirectoryApp]

    init(_ request: Request, _ directory: Directory) {
        self.request = request
        let authority = request.head.authority ?? ""
        let host = authority.prefix { $0 != ":" }.lowercased()
        apps = host.isEmpty ? [] : directory.apps(linkHost: host)
    }

    /// Where a browser is sent that opened a link which the app would have opened; nil for what is no such link, and when
    /// nothing is configured for the browser's platform.
    var fallback: Response? {
        guard [.get, .head].contains(request.method) else { return nil }
        let platform = Self.platform(request.headers[.userAgent] ?? "")
        let fallbacks = apps.compactMap(\.settings.links).filter { $0.opens(request.uri.path) }.compactMap(\.fallback)
        // Another app's page for every platform comes behind the store where this platform's app is.
        let own = fallbacks.compactMap { fallback -> String? in
            switch platform {
            case .ios: fallback.ios
            case .android, .harmony: fallback.android
            case .web: nil
            }
        }
        guard let page = own.first ?? fallbacks.compactMap(\.web).first else { return nil }
        // The same address goes elsewhere with another browser, and tomorrow perhaps with this one.
        return Response(
            status: .found,
            headers: [.location: page, .vary: "User-Agent", .cacheControl: "no-store", .contentLength: "0"]
        )
    }

    /// By the words that browsers of the platform have in their names.
    private static func platform(_ userAgent: String) -> DevicePlatform {
        if userAgent.contains("Android") { return .android }
        return ["iPhone", "iPad", "iPod"].contains { userAgent.contains($0) } ? .ios : .web
    }
}
