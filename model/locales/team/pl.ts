import type { TeamTexts } from "./team_texts.ts";

/** The texts in Polish. */
export const pl: TeamTexts = {
  welcome: (title) => `Witamy w ${title}`,
  invitationFor: (userName, userEmail) => `To zaproszenie jest dla: ${userName}, ${userEmail}.`,
  signIn: "Zaloguj się",
  firstTitle: (title) => `Konfiguracja: ${title}`,
  firstHint:
    "Będziesz pierwszą osobą w roli administratora. Twoje imię pojawia się przy tym, co piszesz.",
  yourName: "Twoje imię",
  yourAddress: "Twój adres e-mail",
  begin: "Zacznij",
  badName: "Wpisz swoje imię.",
  badAddress: "Wpisz adres e-mail, na przykład ann@example.com.",
  linkEnded: "Ten link został już użyty albo wygasł",
  linkEndedHint: "Poproś administratora o nowe zaproszenie albo zaloguj się inaczej.",
  otherWays: "Inne sposoby logowania",
  noAccess: "Nie masz jeszcze dostępu",
  noAccessHint: "Poproś administratora tej usługi o zaproszenie.",
  noAddress:
    "Dostawca logowania nie potwierdził Twojego adresu e-mail. Zwróć się do osoby, która " +
    "prowadzi tę usługę.",
  otherIdentity:
    "Do tego adresu należy inne konto u dostawcy logowania. Poproś administratora o ponowne " +
    "zaproszenie.",
  providerFailed: "Logowanie u dostawcy się nie powiodło",
  providerFailedHint: "Spróbuj ponownie albo zaloguj się inaczej.",

  codeSubject: (code, title) => `${code} to Twój kod: ${title}`,
  codeText: "Wpisz ten kod tam, gdzie o niego prosisz:",
  codeNote:
    "Jest ważny 10 minut. Jeśli to nie Twoja prośba, zignoruj tę wiadomość: bez kodu nikt nie " +
    "wejdzie.",
  inviteSubject: (title) => `Zaproszenie: ${title}`,
  inviteText: (title) => `Zapraszamy Cię do zespołu ${title}. Otwórz stronę, aby się zalogować.`,
  inviteLink: "Przyjmij zaproszenie",
  inviteNote: "Link działa raz, w ciągu 7 dni. Jeśli nie spodziewasz się zaproszenia, zignoruj je.",

  digestSubject: (title) => `Dziś rano: ${title}`,
  digestHeld: (count) => `Pomysły do zatwierdzenia: ${count}`,
  digestReported: (count) => `Zgłoszone pomysły: ${count}`,
  digestIdeas: "Nowe pomysły",
  digestMailings: "Wysyłki z problemami",
  digestWebhooks: "Webhooki z problemami",
  openStudio: "Otwórz studio",
  digestNote: "Dostajesz tę wiadomość jako członek zespołu, najwyżej raz dziennie.",
  digestSettings: "Zatrzymaj te wiadomości",
};
