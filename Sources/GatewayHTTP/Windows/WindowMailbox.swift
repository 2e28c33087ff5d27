internal import GatewayStorage
internal import Messaging
internal import NIOCore
internal import Synchronization

/// Passes events from other threads to one window's event loop; limited by ``WindowLimits/maxPosted``.
final class WindowMailbox: WindowPort {
    /// The events since the last delivery to the loop.
    struct Post: Sendable {
        var windowEvents: [WindowEvent.Kind] = []
        var recheck: WindowClose?
        /// Whether events were lost because there were too many.
        var isLost = false
        fileprivate var isScheduled = false
    }

    private let post = Mutex(Post())
    private let handler: NIOLoopBound<WindowHandler>
    private let loop: any EventLoop

    init(_ handler: NIOLoopBound<WindowHandler>, loop: any EventLoop) {
        self.handler = handler
        self.loop = loop
    }

    func post(_ windowEvents: [WindowEvent.Kind]) {
        put { post in
            guard post.windowEvents.count + windowEvents.count <= WindowLimits.maxPosted else {
                if windowEvents.contains(where: { if case .typing = $0 { false } else { true } }) { post.isLost = true }
                return
            }
            post.windowEvents += windowEvents
        }
    }

    func recheck(_ close: WindowClose) { put { $0.recheck = close } }

    private func put(_ change: (inout Post) -> Void) {
        let isFirst = post.withLock { post in
            change(&post)
            defer { post.isScheduled = true }
            return !post.isScheduled
        }
        guard isFirst else { return }
        loop.execute { [self] in
            let taken = post.withLock { post in
                defer { post = Post() }
                return post
            }
            handler.value.take(taken)
        }
    }
}
