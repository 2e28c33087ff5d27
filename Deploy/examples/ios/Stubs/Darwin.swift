// swift-format-ignore-file
// Its presence makes `canImport(Darwin)` true. Foundation is a part of the compiler's package for Linux, and differs here:
// every function of a delegate is optional on Apple's platforms.
public import Foundation
public import FoundationNetworking

extension URLSessionWebSocketDelegate {
    public func urlSession(
        _ session: URLSession,
        webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
        reason: Data?
    ) {}
}
