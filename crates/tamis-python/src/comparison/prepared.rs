//! Documents on their way to pairs: read, signed, and with their candidates found.

use super::files::Files;
use super::found::{Groups, Pairs};
use crate::arrow::ArrowArray;
use crate::errors::{Class, Raised, error};
use crate::numpy;
use crate::pool::pool_of;
use crate::texts::Texts;
use arrow_array::LargeStringArray;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rayon::ThreadPool;
use std::sync::{Arc, Mutex, PoisonError};
use tamis_corpus::documents::{Corpus, Summary};
use tamis_corpus::similar::candidates::{Candidates, PARTS};
use tamis_corpus::similar::dedup::{copies, found_in_others};
use tamis_corpus::similar::read::sign_corpus;
use tamis_corpus::similar::verify::for_each_pair;
use tamis_corpus::similar::{
    Batch, Clusters, MIN_MEMORY, Plan, Signed, Signing, Workspace, verify,
};

/// A corpus that is ready to be asked for pairs, groups and copies.
///
/// Documents are numbered from 0: first those that are only there to be compared with (`others` of them), then the others.
#[pyclass(frozen, module = "tamis._tamis")]
pub struct Prepared {
    pub inner: Arc<Inner>,
}

/// What is shared with what goes through the pairs.
pub struct Inner {
    pub plan: Plan,
    pub signed: Signed,
    pub candidates: Candidates,
    workspace: Workspace,
    pub pool: Arc<ThreadPool>,
    pub progress: Progress,
    own: Side,
    others: Option<Side>,
}

/// Where documents came from.
#[derive(Default)]
struct Side {
    /// The row of each document, if they differ from the numbers.
    rows: Option<Vec<i64>>,
    /// Rows that were seen.
    seen: u64,
    /// The first rows without a text.
    nulls: Vec<u64>,
}

/// The arrays of copies: the copy, the one that stays, and their similarity.
type Found<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Something that was noticed: whether it was left out, how often, what, and where first.
type Notice = (bool, u64, String, Vec<String>);

impl Prepared {
    pub fn of(
        plan: &Plan,
        own: &Bound<'_, PyAny>,
        others: Option<&Bound<'_, PyAny>>,
        memory: u64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let py = own.py();
        if memory < MIN_MEMORY {
            let sentence =
                format!("{memory} bytes are too little memory; give at least {MIN_MEMORY} (64M)");
            return Err(error(Class::Parameter, sentence));
        }
        let pool = pool_of(threads)?;
        let progress = Progress::new(progress);
        let mut workspace = Workspace::temporary(memory).raised()?;
        let mut signing = Signing::new(plan, &workspace);
        let others = match others {
            Some(others) => {
                let side = read(&mut signing, &pool, others, &progress)?;
                signing.end_others();
                Some(side)
            }
            None => None,
        };
        let own = read(&mut signing, &pool, own, &progress)?;
        let found = py.detach(|| {
            pool.install(|| {
                let signed = signing.finish(&mut workspace)?;
                let mut done = 0;
                let candidates = Candidates::find(&signed, &mut workspace, |parts| {
                    done += parts;
                    progress.tell("candidates", done, Some(PARTS));
                })?;
                Ok::<_, tamis_corpus::Error>((signed, candidates))
            })
        });
        let (signed, candidates) = found.raised()?;
        progress.check()?;
        let plan = plan.clone();
        let inner = Inner { plan, signed, candidates, workspace, pool, progress, own, others };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Works with all threads and without the interpreter; verifying tells how far it is.
    fn verifying<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Inner, &mut (dyn FnMut(u64) + Send)) -> tamis_corpus::Result<T> + Send,
    ) -> PyResult<T> {
        let inner = &*self.inner;
        let done = py.detach(|| {
            inner.pool.install(|| {
                let mut done = 0;
                work(inner, &mut |parts| {
                    done += parts;
                    inner.progress.tell("verifying", done, Some(verify::PARTS));
                })
            })
        });
        inner.progress.check()?;
        done.raised()
    }
}

#[pymethods]
impl Prepared {
    /// The pairs, batch by batch; `across` leaves those of a document with one of the others.
    fn pairs(&self, across: bool) -> Pairs {
        Pairs::new(&self.inner, across)
    }

    /// The groups, batch by batch; with `singletons` also those of one document. Others connect documents, and are no members.
    fn groups(&self, py: Python<'_>, singletons: bool) -> PyResult<Groups> {
        let mut clusters = self.clusters(py)?;
        let signed = &self.inner.signed;
        let own = signed.others()..signed.documents() as u32;
        let mut members: Vec<(u32, u32)> =
            own.map(|document| (clusters.first(document), document)).collect();
        members.sort_unstable();
        let groups =
            members.chunk_by(|a, b| a.0 == b.0).filter(|group| singletons || group.len() > 1);
        let groups = groups.map(|group| group.iter().map(|member| member.1).collect()).collect();
        Ok(Groups::new(&self.inner, groups))
    }

    /// For each document that is no other the first one of its group.
    fn firsts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut clusters = self.clusters(py)?;
        let (others, documents) = (self.inner.signed.others(), self.documents() as u32);
        let mut first_own = vec![None; documents as usize];
        let firsts: Vec<i64> = (others..documents)
            .map(|document| {
                let first = &mut first_own[clusters.first(document) as usize];
                i64::from(*first.get_or_insert(document))
            })
            .collect();
        numpy::array(py, &firsts)
    }

    /// The documents that go, the ones that stay in their place, and their similarity; `against` leaves those that are similar
    /// to one of the others.
    fn copies<'py>(&self, py: Python<'py>, against: bool) -> PyResult<Found<'py>> {
        let removals = self.verifying(py, |inner, progress| {
            let Inner { plan, signed, candidates, workspace, .. } = inner;
            if against {
                found_in_others(plan, signed, candidates, progress)
            } else {
                copies(plan, signed, candidates, workspace, progress)
            }
        })?;
        let numbers = |number: fn(&tamis_corpus::similar::dedup::Removal) -> u32| -> Vec<i64> {
            removals.iter().map(|removal| i64::from(number(removal))).collect()
        };
        let similarities: Vec<f64> = removals.iter().map(|removal| removal.similarity).collect();
        Ok((
            numpy::array(py, &numbers(|removal| removal.document))?,
            numpy::array(py, &numbers(|removal| removal.kept))?,
            numpy::array(py, &similarities)?,
        ))
    }

    /// The names of documents of files.
    fn names(&self, numbers: &Bound<'_, PyAny>) -> PyResult<ArrowArray> {
        let (numbers, documents) = (numpy::values(numbers)?, self.inner.signed.documents() as i64);
        if numbers.iter().any(|number| !(0..documents).contains(number)) {
            return Err(error(Class::Parameter, "there are fewer documents"));
        }
        let names = numbers.iter().map(|&number| self.inner.signed.id(number as u32));
        Ok(ArrowArray::of(LargeStringArray::from_iter_values(names)))
    }

    /// The row of each document in what was given; `None` if it is their number. `other` asks for those to compare with.
    fn rows<'py>(&self, py: Python<'py>, other: bool) -> PyResult<Option<Bound<'py, PyAny>>> {
        let side = if other { self.inner.others.as_ref() } else { Some(&self.inner.own) };
        let rows = side.and_then(|side| side.rows.as_ref());
        rows.map(|rows| numpy::array(py, rows)).transpose()
    }

    /// How many rows were seen, those without a text included.
    #[getter]
    fn seen(&self) -> u64 {
        self.inner.own.seen
    }

    /// How many documents there are in all.
    #[getter]
    fn documents(&self) -> usize {
        self.inner.signed.documents()
    }

    /// How many of them are only there to be compared with.
    #[getter]
    fn others(&self) -> u32 {
        self.inner.signed.others()
    }

    /// The bytes of all texts.
    #[getter]
    fn bytes(&self) -> u64 {
        self.inner.signed.read().iter().map(|summary| summary.bytes).sum()
    }

    /// How many texts are empty.
    #[getter]
    fn empty(&self) -> u64 {
        self.inner.signed.read().iter().map(|summary| summary.empty).sum()
    }

    /// How many rows had no text.
    #[getter]
    fn nulls(&self) -> u64 {
        let sides = std::iter::once(&self.inner.own).chain(&self.inner.others);
        sides.filter_map(|side| Some(side.seen - side.rows.as_ref()?.len() as u64)).sum()
    }

    /// What was noticed in reading.
    fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::new();
        for side in std::iter::once(&self.inner.own).chain(&self.inner.others) {
            if let Some(rows) = &side.rows {
                let places = side.nulls.iter().map(|row| format!("row {row}")).collect();
                let count = side.seen - rows.len() as u64;
                notices.push((true, count, "the text is null".to_owned(), places));
            }
        }
        for (problem, occurrences) in
            self.inner.signed.read().iter().flat_map(|summary| &summary.problems)
        {
            let places = occurrences.examples.iter().map(|example| {
                format!("{} {}", example.place, example.detail).trim_end().to_owned()
            });
            let places = places.collect();
            notices.push((problem.is_skipped(), occurrences.count, problem.to_string(), places));
        }
        notices
    }
}

impl Prepared {
    fn clusters(&self, py: Python<'_>) -> PyResult<Clusters> {
        self.verifying(py, |inner, progress| {
            let mut clusters = Clusters::new(&inner.signed);
            for_each_pair(
                &inner.plan,
                &inner.signed,
                &inner.candidates,
                |_, _| true,
                |pair| -> tamis_corpus::Result<()> {
                    clusters.join(pair.left, pair.right);
                    Ok(())
                },
                progress,
            )?;
            Ok(clusters)
        })
    }
}

/// Reads and signs files, or batches.
fn read(
    signing: &mut Signing<'_>,
    pool: &ThreadPool,
    data: &Bound<'_, PyAny>,
    progress: &Progress,
) -> PyResult<Side> {
    let py = data.py();
    let Ok(files) = data.cast::<Files>() else {
        return read_batches(signing, pool, data, progress);
    };
    let Files { paths, options, keep } = files.get();
    let read = py.detach(|| {
        pool.install(|| {
            let corpus = Corpus::open(paths, options)?;
            let total = corpus.size()?;
            let mut done = 0;
            let tell = |bytes| {
                done += bytes;
                progress.tell("reading", done, Some(total));
            };
            sign_corpus(signing, &corpus, options, |document| keep.rank(document), tell)
        })
    });
    progress.check()?;
    read.raised()?;
    Ok(Side::default())
}

/// How many rows without a text are named.
const NAMED: usize = 3;

fn read_batches(
    signing: &mut Signing<'_>,
    pool: &ThreadPool,
    batches: &Bound<'_, PyAny>,
    progress: &Progress,
) -> PyResult<Side> {
    let py = batches.py();
    let (mut side, mut summary) = (Side::default(), Summary::default());
    let mut batch = Batch::default();
    for item in batches.try_iter()? {
        // Ctrl-C is heard between batches.
        py.check_signals()?;
        let item = item?;
        let (texts, ranks) = match item.cast::<PyTuple>() {
            Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, Some(pair.get_item(1)?)),
            _ => (item, None),
        };
        let texts = Texts::with_nulls(&texts)?;
        let ranks = ranks.filter(|ranks| !ranks.is_none());
        let by_length = ranks.as_ref().is_some_and(PyAnyMethods::is_instance_of::<PyString>);
        let ranks = ranks.filter(|_| !by_length);
        let ranks: Option<Vec<f64>> = ranks.map(|ranks| numpy::values(&ranks)).transpose()?;
        let texts = texts.all_or_null();
        if ranks.as_ref().is_some_and(|ranks| ranks.len() != texts.len()) {
            return Err(error(Class::Parameter, "there must be one rank for each text"));
        }
        let signed = py.detach(|| {
            pool.install(|| {
                for (index, text) in texts.into_iter().enumerate() {
                    let row = side.seen;
                    side.seen += 1;
                    let Some(text) = text else {
                        side.null(row);
                        continue;
                    };
                    if let Some(rows) = &mut side.rows {
                        rows.push(row as i64);
                    }
                    summary.documents += 1;
                    summary.bytes += text.len() as u64;
                    summary.empty += u64::from(text.is_empty());
                    let length = if by_length { text.len() as f64 } else { 0.0 };
                    batch.push("", text, ranks.as_ref().map_or(length, |ranks| ranks[index]));
                    if batch.len() >= super::BATCH || batch.bytes() >= BATCH_BYTES {
                        signing.documents(&batch)?;
                        batch.clear();
                    }
                }
                signing.documents(&batch)?;
                batch.clear();
                Ok::<(), tamis_corpus::Error>(())
            })
        });
        signed.raised()?;
        progress.tell_now(py, "reading", side.seen, None)?;
    }
    signing.note(summary);
    Ok(side)
}

/// Bytes of text that are signed at once.
const BATCH_BYTES: usize = 4 << 20;

impl Side {
    /// Notes a row without a text.
    fn null(&mut self, row: u64) {
        self.rows.get_or_insert_with(|| (0..row as i64).collect());
        if self.nulls.len() < NAMED {
            self.nulls.push(row);
        }
    }
}

/// What is called to tell how far the work is: with the stage, how much is done, and how much there is.
pub struct Progress {
    call: Option<Py<PyAny>>,
    /// What it has raised.
    raised: Mutex<Option<PyErr>>,
}

impl Progress {
    const fn new(call: Option<Py<PyAny>>) -> Self {
        Self { call, raised: Mutex::new(None) }
    }

    /// From any thread, without the interpreter.
    pub fn tell(&self, stage: &str, done: u64, total: Option<u64>) {
        if self.call.is_none() {
            return;
        }
        if let Err(raised) = Python::attach(|py| self.tell_now(py, stage, done, total)) {
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(raised);
        }
    }

    /// From a thread that has the interpreter.
    fn tell_now(&self, py: Python<'_>, stage: &str, done: u64, total: Option<u64>) -> PyResult<()> {
        match &self.call {
            Some(call) => call.call1(py, (stage, done, total)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Raises what a call has raised.
    pub fn check(&self) -> PyResult<()> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(Ok(()), Err)
    }
}
