import SwiftUI

@main
struct SampleApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup { HomeView().environmentObject(delegate.messenger) }
    }
}

/// The first screen: the login, or the way to the conversation.
struct HomeView: View {
    @EnvironmentObject private var messenger: Messenger
    @State private var name = ""

    var body: some View {
        NavigationStack {
            List {
                if let userID = messenger.userID {
                    Text("Logged in as " + userID)
                    Button("Messages") { messenger.isShowingConversation = true }
                        .badge(messenger.unread)
                    Button("Log out") { Task { await messenger.logout() } }
                } else {
                    TextField("User", text: $name)
                    Button("Log in") { Task { await messenger.login(as: name) } }
                        .disabled(name.isEmpty)
                }
                if let error = messenger.errorText { Text(error) }
            }
            .navigationTitle("Acme")
            .navigationDestination(isPresented: $messenger.isShowingConversation) { ConversationView() }
        }
    }
}
