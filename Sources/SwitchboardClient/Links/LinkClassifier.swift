public import Foundation

/// Recognises links in messages, and decides how they are opened.
public struct LinkClassifier: Sendable {
    /// How a link is opened.
    public enum Route: Sendable, Hashable {
        /// By the system's browser.
        case browser(URL)
        /// By the telephone.
        case telephone(URL)
        /// By the mail program.
        case mail(URL)
        /// By the app that claims the scheme.
        case scheme(URL)
        /// By the callback of the app.
        case callback(URL)
    }

    /// Whether links of structured content go to the callback.
    public var structuredContentLinkAsCallback: Bool
    /// The hosts whose https links open this app: on iOS a link cannot open its own app, so they go to the callback.
    public var ownHosts: Set<String>
    private let custom: NSRegularExpression?

    /// Creates a classifier.
    ///
    /// - Parameters:
    ///   - customPattern: A regular expression of links beside http(s), tel and mailto.
    ///   - structuredContentLinkAsCallback: Whether links of structured content go to the callback.
    ///   - ownHosts: The hosts whose links open this app.
    /// - Throws: `parameterMissing` if the pattern is not a regular expression.
    public init(
        customPattern: String? = nil,
        structuredContentLinkAsCallback: Bool = false,
        ownHosts: Set<String> = []
    ) throws(SwitchboardError) {
        self.structuredContentLinkAsCallback = structuredContentLinkAsCallback
        self.ownHosts = Set(ownHosts.map { $0.lowercased() })
        guard let customPattern else {
            custom = nil
            return
        }
        guard let pattern = try? NSRegularExpression(pattern: customPattern) else {
            throw SwitchboardError(.parameterMissing, "the pattern is no regular expression", reason: "customPattern")
        }
        custom = pattern
    }

    /// Returns the way to open a link; nil if the text is no link.
    ///
    /// - Parameters:
    ///   - text: The link.
    ///   - isStructuredContent: Whether it is a link of structured content.
    /// - Returns: The way, or nil.
    public func route(_ text: String, isStructuredContent: Bool = false) -> Route? {
        guard text.utf8.count <= 2048, let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            return nil
        }
        let route: Route
        switch scheme {
        case "http", "https":
            guard let host = url.host?.lowercased(), !host.isEmpty else { return nil }
            route = scheme == "https" && ownHosts.contains(host) ? .callback(url) : .browser(url)
        case "tel":
            guard text.utf8.count > 4 else { return nil }
            route = .telephone(url)
        case "mailto":
            guard text.utf8.count > 7 else { return nil }
            route = .mail(url)
        default:
            guard let custom else { return nil }
            let whole = NSRange(text.startIndex..., in: text)
            guard custom.firstMatch(in: text, options: .anchored, range: whole)?.range == whole else { return nil }
            route = .scheme(url)
        }
        return isStructuredContent && structuredContentLinkAsCallback ? .callback(url) : route
    }
}
