internal import Synchronization

/// Chatwoot's API for messages of contacts: `POST /api/v1/accounts/{account}/conversations/{conversation}/messages`.
///
/// It answers as its repository does (`app/controllers/concerns/access_token_auth_helper.rb`,
/// `ensure_current_account_helper.rb`, `request_exception_handler.rb`, `app/builders/messages/message_builder.rb`,
/// `app/views/api/v1/models/_message.json.jbuilder`), but takes nothing else than a contact's message: Chatwoot would
/// show another one as an agent's. Any thread.
package final class SimulatedChatwootAPI: Sendable {
    /// The path below which the API is.
    package static let path = "/chatwoot"
    /// The maximum length of a message in characters.
    private static let maxContent = 150_000
    /// The most stored messages; the oldest are dropped.
    private static let keptLimit = 10_000

    /// A message that was taken.
    package struct Message: Sendable, Equatable {
        /// The account's number.
        package var account: Int64
        /// The conversation's number.
        package var conversation: Int64
        /// The text.
        package var content: String
        /// `echo_id`.
        package var echoID: String
    }

    /// The reason why a request is rejected.
    private struct Rejection: Error {
        var status: Int
        var error: String

        static let notFound = Rejection(status: 404, error: "Resource could not be found")
    }

    private struct State {
        var accounts: [Int64: ChatwootAccount] = [:]
        var messages: [Message] = []
        var lastID: Int64 = 0
    }

    private let state = Mutex(State())

    init() {}

    /// Registers accounts; one with the same number is replaced.
    ///
    /// - Parameter accounts: The accounts.
    package func register(_ accounts: [ChatwootAccount]) {
        self.state.withLock { state in
            for account in accounts { state.accounts[account.id] = account }
        }
    }

    /// The messages that were taken, in order of arrival.
    package var messages: [Message] { self.state.withLock { $0.messages } }

    /// Handles a request; rules distinguish them by `tokenPrefix`: the conversation's number.
    func verdict(on request: SimulatorRequest, at now: SimulatorTime) -> PushVerdict {
        let parts = request.path.split(separator: "/").map(String.init)
        let numbers = parts.compactMap { Int64($0) }
        let conversation = numbers.last.map { String($0) }
        do throws(Rejection) {
            guard numbers.count == 2,
                request.path == Self.path + "/api/v1/accounts/\(numbers[0])/conversations/\(numbers[1])/messages"
            else { throw .notFound }
            try self.authenticate(request.header("api_access_token"), numbers[0], numbers[1])
            let message = try Self.message(in: request, numbers[0], numbers[1])
            return PushVerdict(token: conversation, reason: nil, reply: .json(200, self.take(message, at: now)))
        } catch {
            let json: JSONValue = ["error": .string(error.error)]
            return PushVerdict(token: conversation, reason: error.error, reply: .json(error.status, json))
        }
    }

    private func authenticate(_ token: String?, _ id: Int64, _ conversation: Int64) throws(Rejection) {
        let accounts = self.state.withLock { $0.accounts }
        guard let token, accounts.values.contains(where: { $0.token == token }) else {
            throw Rejection(status: 401, error: "Invalid Access Token")
        }
        guard let account = accounts[id] else { throw .notFound }
        guard account.token == token else {
            throw Rejection(status: 401, error: "You are not authorized to access this account")
        }
        guard account.conversations.contains(conversation) else { throw .notFound }
    }

    private static func message(
        in request: SimulatorRequest,
        _ account: Int64,
        _ conversation: Int64
    ) throws(Rejection) -> Message {
        guard request.method == "POST", request.header("content-type") == "application/json",
            let body = try? JSONValue(parsing: request.body), let members = body.members
        else { throw Rejection(status: 400, error: "Bad Request") }
        let known: Set<String> = ["content", "message_type", "private", "echo_id"]
        guard members.allSatisfy({ known.contains($0.name) }), body["message_type"] == .string("incoming"),
            body["private"] == .bool(false), let echoID = body["echo_id"]?.stringValue, !echoID.isEmpty
        else { throw Rejection(status: 422, error: "It is not a message of a contact with an echo_id") }
        guard let content = body["content"]?.stringValue, !content.isEmpty else {
            throw Rejection(status: 422, error: "Validation failed: Content can't be blank")
        }
        guard content.unicodeScalars.count <= Self.maxContent else {
            throw Rejection(status: 422, error: "Validation failed: Content is too long (maximum is 150000 characters)")
        }
        return Message(account: account, conversation: conversation, content: content, echoID: echoID)
    }

    private func take(_ message: Message, at now: SimulatorTime) -> JSONValue {
        let id = self.state.withLock { state in
            state.messages.append(message)
            state.messages.removeFirst(max(0, state.messages.count - Self.keptLimit))
            state.lastID += 1
            return state.lastID
        }
        return [
            "id": .integer(id), "content": .string(message.content), "inbox_id": .integer(1),
            "echo_id": .string(message.echoID), "conversation_id": .integer(message.conversation),
            "message_type": .integer(0), "content_type": .string("text"), "status": .string("sent"),
            "content_attributes": .object([]), "created_at": .integer(now.seconds), "private": .bool(false),
            "source_id": .null,
        ]
    }
}
