import Outbound
import ServiceLifecycle

/// Looks every five seconds for conditions that operators should know about, and posts what has changed.
struct OperatorMonitor: Service {
    /// The webhook of the instance.
    let webhook: OperatorWebhook
    /// Its sender, which this service closes.
    let sender: HTTPWebhookSender
    /// The conditions.
    let conditions: OperatorConditions

    /// Posts until the service group shuts down; what waits then is not posted.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            var (webhook, conditions) = (webhook, conditions)
            while !Task.isCancelled {
                await webhook.update(conditions.current(), jitter: .random(in: 0...1))
                try? await Task.sleep(for: .seconds(5))
            }
            await sender.close()
        }
    }
}
