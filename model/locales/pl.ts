import type { Texts } from "./locale.ts";

// No past tense in the second person, because its form depends on the reader's gender.
/** The texts in Polish. */
export const pl: Texts = {
  about: "Co nowego, od najnowszych wpisów",
  skip: "Przejdź do treści",
  changelog: "Nowości",
  feeds: "Obserwuj kanał",
  labels: "Etykiety",
  labelled: (label) => `Z etykietą „${label}”`,
  pages: "Strony",
  newerEntries: "Nowsze wpisy",
  olderEntries: "Starsze wpisy",
  allEntries: "Wszystkie wpisy",
  newerEntry: "Nowszy",
  olderEntry: "Starszy",
  readMoreAt: (host) => `Więcej na ${host}`,
  nothingYet: "Nic jeszcze nie opublikowano",
  nothingYetHint: "Obserwuj kanał, aby dowiedzieć się o pierwszym wpisie.",
  nothingLabelled: "Nie ma wpisów z tą etykietą",
  search: "Szukaj",
  found: (q) => `Wyniki dla „${q}”`,
  nothingFound: "Nic nie znaleziono",
  nothingFoundHint: "Można spróbować mniejszej liczby słów albo innych słów.",
  preview: "To jest podgląd. Wpis może nie być jeszcze opublikowany.",

  notFound: "Tu nic nie ma",
  notFoundHint: "Wpis mógł zostać wycofany albo adres jest niepełny.",
  unreadable: "Ten adres nie działa",
  unreadableHint: "Brakuje jego części albo została po drodze zmieniona.",
  unavailable: "Nie możemy teraz pokazać tej strony",
  unavailableHint: "Spróbuj ponownie za minutę.",
  whatIsNew: "Zobacz, co nowego",

  signUp: "Nowości na e-mail",
  signUpHint: "Jeden e-mail o każdej nowości. Możesz wypisać się w każdej chwili.",
  email: "Adres e-mail",
  name: "Imię (opcjonalnie)",
  subscribe: "Subskrybuj",
  leaveEmpty: "Pozostaw to pole puste",
  badEmail: "Podaj adres e-mail, na przykład imie@example.com.",
  badName: "Podaj imię o długości do 200 znaków, bez znaków sterujących.",
  lookForMail: "Sprawdź skrzynkę",
  lookForMailHint:
    "Otwórz jej link, aby potwierdzić. Jeśli dziś przyszła już od nas wiadomość, jej link też to pokazuje. " +
    "Jeśli nic nie dotrze w ciągu kilku minut, zajrzyj do folderu ze spamem.",
  confirm: "Potwierdź subskrypcję",
  confirmHint: (userEmail) => `Nowości będziemy wysyłać na adres ${userEmail}.`,
  confirmed: "Subskrypcja potwierdzona",
  confirmedHint: "O każdej nowości napiszemy e-mail. W każdym jest link, którym można się wypisać.",
  expired: "Ten link wygasł",
  expiredHint: "Podaj swój adres jeszcze raz, aby otrzymać nowy.",
  badLink: "Ten link jest niepełny",
  badLinkHint: "Skopiuj go z wiadomości w całości.",

  unsubscribe: "Wypisz się",
  unsubscribeQuestion: "Koniec wiadomości?",
  unsubscribeHint: "Nie będziemy już wysyłać nowości na Twój adres.",
  unsubscribed: "Subskrypcja anulowana",
  unsubscribedHint: "Nie będziemy już wysyłać nowości na Twój adres.",
  endAsks: "Nie chcę więcej e-maili o moich prośbach",
  asksEnded: "Nie będziemy już wysyłać e-maili o Twoich prośbach.",
  choose: "Wybierz, co otrzymujesz",
  everything: "Wszystko",
  onlyLabels: "Tylko nowości z jedną z tych etykiet:",
  howOften: "Jak często",
  paceEach: "Osobna wiadomość o każdej nowości",
  paceWeekly: "Jedna wiadomość w tygodniu",
  save: "Zapisz",
  saved: "Twój wybór został zapisany.",
  tooManyLabels: (max) => `Za dużo etykiet: nic nie zostało zapisane. Najwyżej: ${max}`,
  noLabel: "Wybierz etykietę albo „Wszystko”: nic nie zostało zapisane.",
  weekSoFar: "W tym tygodniu do tej pory",
  weekly: (title) => `Tydzień w ${title}`,

  preheader: (title) => `Nowości: ${title}`,
  readOnWeb: "Czytaj w przeglądarce",
  learnMore: "Dowiedz się więcej",
  youAsked: (day, title) => `Twoja prośba z dnia ${day}: ${title}`,
  whyYouGetThis: (title) => `Ta wiadomość przychodzi, bo subskrybujesz ${title}.`,
  notTracked:
    "Ta wiadomość nie jest śledzona: nikt się nie dowie, czy ją otwierasz ani czy klikasz w jej linki.",
  test: "Test",

  confirmSubject: (title) => `Potwierdź subskrypcję: ${title}`,
  confirmRequest: (title, userEmail) =>
    `Ktoś, mamy nadzieję, że Ty, prosi o wysyłanie nowości z ${title} na adres ${userEmail}.`,
  confirmLink: "Potwierdź subskrypcję",
  confirmIgnore:
    "Link jest ważny 7 dni. Jeśli to nie Twoja prośba, zignoruj tę wiadomość: subskrypcji nie będzie.",
  alreadySubject: (title) => `Już subskrybujesz ${title}`,
  alreadyText: (title, userEmail) =>
    `Ktoś, mamy nadzieję, że Ty, prosi o wysyłanie nowości z ${title} na adres ${userEmail}. ` +
    "Już tam przychodzą, nie trzeba nic robić.",

  unread: (count) => `Nieprzeczytane: ${count}`,
  close: "Zamknij",
};
