//! The commonest words of six languages.
//!
//! A hundred each, from general knowledge of the languages: articles, pronouns, prepositions,
//! conjunctions and the commonest verbs, in lower case.

/// A language whose common words are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// English
    English,
    /// Portuguese
    Portuguese,
    /// Dutch
    Dutch,
    /// Spanish
    Spanish,
    /// French
    French,
    /// German
    German,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 6] =
        [Self::English, Self::Portuguese, Self::Dutch, Self::Spanish, Self::French, Self::German];

    /// Its code after ISO 639-1.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt",
            Self::Dutch => "nl",
            Self::Spanish => "es",
            Self::French => "fr",
            Self::German => "de",
        }
    }

    /// The language with this code.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code() == code)
    }

    /// Its hundred commonest words.
    pub fn common_words(self) -> impl Iterator<Item = &'static str> {
        let words = match self {
            Self::English => ENGLISH,
            Self::Portuguese => PORTUGUESE,
            Self::Dutch => DUTCH,
            Self::Spanish => SPANISH,
            Self::French => FRENCH,
            Self::German => GERMAN,
        };
        words.split_whitespace()
    }
}

const ENGLISH: &str = "the be to of and a in that have i it for not on with he as you do at this \
but his by from they we say her she or an will my one all would there their what so up out if \
about who get which go me when make can like time no just him know take people into year your \
good some could them see other than then now look only come its over think also back after use \
two how our work first well way even new want because any these give day most us";

const PORTUGUESE: &str = "o a de que e do da em um para é com não uma os no se na por mais as \
dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo \
pela até isso ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão você tinha \
foram essa num nem suas meu às minha têm numa pelos elas havia seja qual será nós tenho lhe \
deles essas esses pelas este fosse dele tu te vocês vos lhes meus minhas teu tua seria";

const DUTCH: &str = "de en van ik te dat die in een hij het niet zijn is was op aan met als voor \
had er maar om hem dan zou of wat mijn men dit zo door over ze zich bij ook tot je mij uit der \
daar haar naar heb hoe heeft hebben deze u want nog zal me zij nu ge geen omdat iets worden toch \
al waren veel meer doen toen moet ben zonder kan hun dus alles onder ja eens hier wie werd \
altijd doch wordt wezen kunnen ons zelf tegen na reeds wil kon niets uw iemand geweest";

const SPANISH: &str = "de la que el en y a los se del las un por con no una su para es al lo \
como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue \
había era muy años hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni \
parte tiene él uno donde bien tiempo mismo ese ahora cada e vida otro después te otros aunque \
esa eso hace otra gobierno tan durante siempre día tanto ella tres sí dijo sido gran hacer quien \
nada";

const FRENCH: &str = "de la le et les des en un du une que est pour qui dans a par plus pas au \
sur ne se ce il sont avec ou son aux d l c qu n s j elle on y été deux mais comme cette ces sa \
fait ses leur si lui peut tout nous ont même ils être bien sans sous autres après encore entre \
je avait où dont vous aussi moins faire avoir m très lors ans fois donc depuis elles leurs mon \
ma mes ni quand temps tous toute toutes trois contre était peu cela non vers";

const GERMAN: &str = "der die und in den von zu das mit sich des auf für ist im dem nicht ein \
eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem \
über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde sei hatte kann \
gegen vom können schon wenn habe seine mark ihre dann unter wir soll ich eines jahr zwei jahren \
diese dieser wieder keine uhr seiner worden will zwischen immer millionen was sagte gibt alle \
seit heute weil müssen doch jetzt drei ihrer";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_language_has_a_hundred_words_in_lower_case() {
        for language in Language::ALL {
            let words: Vec<&str> = language.common_words().collect();
            let different: HashSet<&str> = words.iter().copied().collect();
            assert_eq!((words.len(), different.len()), (100, 100), "{language:?}");
            assert!(words.iter().all(|word| word.to_lowercase() == *word));
            assert_eq!(Language::from_code(language.code()), Some(language));
        }
    }
}
