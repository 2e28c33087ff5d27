internal import GatewayModel
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import TextFormats

/// The link host of a request, if there is one.
struct LinkHost {
    private let request: Request
    private let directory: Directory
    /// The apps with links of this host, by id.
    let apps: [DirectoryApp]

    init(_ request: Request, _ directory: Directory) {
        self.request = request
        self.directory = directory
        let authority = request.head.authority ?? ""
        let host = authority.byteSplit(":", maxSplits: 1, omittingEmptySubsequences: false)[0].asciiLowercased
        apps = host.isEmpty ? [] : directory.apps(linkHost: host)
    }

    /// The redirect of a browser that opened a link of an app; nil when the path is not such a link, and when nothing
    /// is configured for the browser's platform.
    var fallback: Response? {
        guard [.get, .head].contains(request.method) else { return nil }
        let platform = Self.platform(request.headers[.userAgent] ?? "")
        guard let page = Self.page(for: request.uri.path, of: apps, on: platform), isEnding(page, on: platform) else {
            return nil
        }
        // The response depends on the browser, and may differ tomorrow.
        return Response(
            status: .found,
            headers: [.location: page, .vary: "User-Agent", .contentLength: "0"]
        )
    }

    /// Returns the page of a link's path; nil when nothing is configured for the platform.
    private static func page(for path: String, of apps: [DirectoryApp], on platform: DevicePlatform) -> String? {
        let fallbacks = apps.compactMap(\.settings.links).filter { $0.opens(path) }.compactMap(\.fallback)
        // Another app's page for every platform comes after the store page of this platform's app.
        let own = fallbacks.compactMap { fallback -> String? in
            switch platform {
            case .ios: fallback.ios
            case .android, .harmony: fallback.android
            case .web: nil
            }
        }
        return own.first ?? fallbacks.compactMap(\.web).first
    }

    /// The maximum number of links that may lead to each other; browsers follow about twenty redirects.
    private static let maxSteps = 8

    /// Whether the redirects end: each app's own pages are checked when the app is stored, but two apps may name links
    /// of each other, and browsers would loop.
    private func isEnding(_ page: String, on platform: DevicePlatform) -> Bool {
        var page = page
        for _ in 0..<Self.maxSteps {
            guard let link = LinkSettings.Address(page),
                let next = Self.page(for: link.path, of: directory.apps(linkHost: link.host), on: platform)
            else { return true }
            page = next
        }
        return false
    }

    /// Determines the platform from the words in browsers' names.
    private static func platform(_ userAgent: String) -> DevicePlatform {
        if userAgent.containsBytes(of: "Android") { return .android }
        let words: [StaticString] = ["iPhone", "iPad", "iPod"]
        return words.contains { userAgent.containsBytes(of: $0) } ? .ios : .web
    }
}
