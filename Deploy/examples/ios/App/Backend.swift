import Foundation
import SwitchboardClient

/// The app's back-end, which mints session tokens with its service account: the page "Log consumers in".
struct Backend: CopilotTokenProvider {
    /// The app's own session, by which the back-end knows the user: it must not believe a user ID that a device names.
    let appSession: String

    func generateUserAuthKey(for userID: String) async throws -> String {
        guard let url = URL(string: "https://app.example.com/push-token") else { preconditionFailure("not a URL") }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("Bearer " + appSession, forHTTPHeaderField: "Authorization")
        let body: Data
        let response: URLResponse
        do {
            (body, response) = try await URLSession.shared.data(for: request)
        } catch {
            throw CopilotTokenError.connectivity(debugMessage: "\(type(of: error))")
        }
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw CopilotTokenError.general(debugMessage: "the back-end rejected the login")
        }
        return String(decoding: body, as: UTF8.self)
    }
}
