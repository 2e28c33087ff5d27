import Foundation
import HTTPTypes
import Testing

@testable import GatewayHTTP

extension API {
    /// Reads a page of the console by an operator's cookie.
    func open(_ path: String, of page: SignedIn?, headers: HTTPFields = [:]) async throws -> Reply {
        var headers = headers
        if let page { headers[.cookie] = page.cookie }
        return try await call(.get, "/console" + path, as: .none, headers: headers)
    }

    /// Sends a form of the console, as a browser does; `csrf` stands for the session's token.
    func submit(
        _ path: String,
        of page: SignedIn?,
        csrf: String? = nil,
        _ fields: [String: String] = [:],
        headers: HTTPFields = [.secFetchSite: "same-origin"]
    ) async throws -> Reply {
        var headers = headers
        if let page { headers[.cookie] = page.cookie }
        let all = fields.merging(["csrf": csrf ?? page?.csrf ?? ""]) { $1 }
        let body = all.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.form($0.value))" }.joined(separator: "&")
        return try await call(
            .post,
            "/console" + path,
            as: .none,
            body,
            type: "application/x-www-form-urlencoded",
            headers: headers
        )
    }

    private static func form(_ text: String) -> String {
        let encoded = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return encoded.replacing("%20", with: "+")
    }
}

extension Reply {
    /// Checks that it is a page of the console, complete and safe for a browser.
    func expectPage(_ status: Int, _ location: SourceLocation = #_sourceLocation) {
        #expect(self.status == status, "\(text)", sourceLocation: location)
        #expect(headers[.contentType] == "text/html; charset=utf-8", sourceLocation: location)
        #expect(text.hasPrefix("<!doctype html>") && text.hasSuffix("</html>\n"), sourceLocation: location)
        #expect(text.contains(##"<a class="skip" href="#main">"##), sourceLocation: location)
        #expect(text.utf8.count < 100_000, "\(text.utf8.count) bytes", sourceLocation: location)
        let policy = headers[.contentSecurityPolicy] ?? ""
        #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe"), sourceLocation: location)
        #expect(policy.contains("frame-ancestors 'none'"), sourceLocation: location)
        #expect(headers[.contentTypeOptions] == "nosniff", sourceLocation: location)
        #expect(headers[.cacheControl] == "no-store", sourceLocation: location)
        #expect(headers[.wwwAuthenticate] == nil, sourceLocation: location)
        // The policy would stop them; nothing needs them.
        for part in [" style=", "<style", "javascript:", " onclick=", " onload=", "//cdn", "http://", "https://"] {
            #expect(!text.contains(part), "\(part)", sourceLocation: location)
        }
        let scripts = text.matches(of: /<script/).count
        let own = /<script type="module" src="\/console\/assets\/(?:console|tail)\.js\?v=[A-Za-z0-9+\/]{16}"><\/script>/
        #expect(text.matches(of: own).count == scripts, sourceLocation: location)
        // Each control has a label, or a text of its own; each cell belongs to a header.
        for input in text.matches(of: /<(?:input|select) id="([^"]+)"/) {
            #expect(text.contains(#"<label for="\#(input.output.1)">"#), "\(input.output.1)", sourceLocation: location)
        }
        #expect(!text.contains("<th>"), sourceLocation: location)
        let names = text.matches(of: #/ id="([^"]*)"/#).map { String($0.output.1) }
        #expect(Set(names).count == names.count, "an id appears twice", sourceLocation: location)
    }

    /// Checks that it leads to another page.
    func expectRedirection(to path: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(status == 303 && headers[.location] == path, "\(status) \(headers)", sourceLocation: location)
    }
}
