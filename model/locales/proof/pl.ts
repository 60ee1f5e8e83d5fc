import type { ProofTexts } from "./proof_texts.ts";

/** The texts in Polish. */
export const pl: ProofTexts = {
  mailSubject: (name) => `Prosimy o potwierdzenie: ${name}`,
  voteSubject: (name) => `Prosimy o potwierdzenie głosu: ${name}`,
  ideaSubject: (name) => `Prosimy o potwierdzenie pomysłu: ${name}`,
  mailText: (name) =>
    `Ktoś, mamy nadzieję, że Ty, wpisał Twój adres e-mail w formularzu ${name}. ` +
    "Otwórz stronę, aby zobaczyć, o co chodzi, i potwierdź to tam.",
  mailLink: "Zobacz i potwierdź",
  mailIgnore:
    "Link jest ważny 7 dni. Jeśli to nie Ty, zignoruj tę wiadomość albo powiedz nam o tym na stronie: " +
    "nigdy więcej nie napiszemy.",

  waiting: "Czy to od Ciebie?",
  waitingHint: (userEmail) =>
    `Wysłano z adresem ${userEmail}. Nic się nie stanie, zanim tego nie potwierdzisz.`,
  ofSignUp: (title) => `Nowości z ${title} e-mailem`,
  ofVote: (title) => `Głos na: ${title}`,
  ofIdea: (title) => `Nowy pomysł: ${title}`,
  withMail: "z e-mailem, gdy będą nowości",
  confirm: "Potwierdź",
  nothingWaits: "Nic nie czeka na Twoje potwierdzenie",
  notMe: "To nie Ty?",
  notMeHint:
    "Wtedy nic się nie stanie. Możesz też zatrzymać wszystkie wiadomości, które wysyłają do Ciebie formularze.",
  never: "To nie ja: nie piszcie do mnie nigdy więcej",
  neverDone: "Nie będziemy już do Ciebie pisać",
  neverDoneHint: "To, co czekało, zostało usunięte.",
  confirmed: "Dziękujemy, potwierdzono",
  held: "Twój pomysł pojawi się, gdy zespół go zatwierdzi.",
  ended: "To nie było już możliwe:",

  remember: "Zapamiętaj mnie w tej przeglądarce",
  rememberHint:
    "Głos to wtedy jedno naciśnięcie, bez e-maila. Zapisujemy jedno ciasteczko na 90 dni. Rób to tylko na " +
    "własnym urządzeniu.",
  remembered: "Ta przeglądarka Cię pamięta",
  rememberedHint: "Głos to teraz jedno naciśnięcie.",
  forgetBrowser: "Wyloguj w tej przeglądarce",
  browserForgotten: "Wylogowano w tej przeglądarce",

  mine: "Twoje pomysły i głosy",
  mineHint:
    "Wpisz swój adres. Wyślemy Ci link do wszystkiego, na co głosujesz, co piszesz i o co prosisz.",
  sendLink: "Wyślij mi link",
  nothingMine: "Nie ma tu niczego od Ciebie.",
  notShown: "pomysł, który nie jest publiczny",
  myVotes: "Twoje głosy",
  myIdeas: "Twoje pomysły",
  isTold: "Dostaniesz e-mail, gdy będą nowości",
  askMail: "Napiszcie do mnie, gdy będą nowości",
  endMail: "Żadnych e-maili w tej sprawie",
  moreMine: "Jest więcej, niż pokazuje ta strona. Wycofaj głosy, aby zobaczyć resztę.",
  withdraw: "Wycofaj głos",
  stop: "Zatrzymaj wszystkie e-maile",
  stopHint: "Twoje głosy zostają. Nikt nie pisze do Ciebie o nich ani o nowościach.",
  stopped: "Już do Ciebie nie piszemy",
  forgetMe: "Usuń wszystko o mnie",
  forgetMeHint:
    "Usuwa Twoje głosy, subskrypcję i pomysły, na które nikt inny nie głosował. Inne pomysły zostają bez " +
    "Twojego adresu.",
  kept:
    "Przechowujemy Twój adres przy Twoich głosach i pomysłach, dopóki nie wycofasz głosu albo " +
    "nie usuniesz wszystkiego.",
  keptAfterwards: (duration) =>
    "Gdy pomysł zostanie wdrożony lub odrzucony, adresy są usuwane, a liczba głosów zostaje. " +
    `Termin: ${duration}`,
  forgetMeQuestion: "Na pewno usunąć wszystko o Tobie?",
  keepEverything: "Nie, zachowaj wszystko",
  forgotten: "Wszystko o Tobie usunięto",
  forgottenHint: "Nic o Tobie nie jest tu już zapisane.",
  votingAs: (name) => `Głosujesz jako: ${name}`,
  foreign: "Spróbuj ponownie tutaj",
  foreignHint:
    "Ten formularz wysłała inna strona, więc nic nie zrobiono. Otwórz stronę i naciśnij przycisk.",

  vote: "Głosuj",
  voteAndMail: "Głosuj i dostań e-mail, gdy będą nowości",
  voteHint: "Nikt nie widzi Twojego adresu. Potwierdzasz e-mailem.",
  voteCounts: "Twój głos się liczy",
  withdrawn: "Twój głos wycofano",
  votingEnded: "Głosowanie tutaj się skończyło",
  newIdea: "Nowy pomysł",
  ideaTitle: "Tytuł",
  ideaBody: "Napisz więcej (opcjonalnie)",
  send: "Wyślij",
  sendAndMail: "Wyślij i dostań e-mail, gdy będą nowości",
  badTitle: "Wpisz tytuł od 3 do 120 znaków, bez linku.",
  badBody: "Do 8 KB tekstu, bez obrazów.",
  boardFull: "Ta tablica nie przyjmuje teraz więcej pomysłów",
  report: "Zgłoś ten pomysł",
  reportReason: "Co jest z nim nie tak?",
  badReason: "Wpisz powód od 3 do 1000 znaków.",
  reported: "Dziękujemy za zgłoszenie",
  reportedHint: "Zespół to sprawdzi.",
};
