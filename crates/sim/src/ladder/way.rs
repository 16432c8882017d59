//! The way of a request, stage after stage.

use sanlab_kernel::{Instant, STAGE_COUNT, Span, Stage, Timeline};

/// The way of a request so far: stages in order, each with its time.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    pub(super) began_at: Instant,
    pub(super) steps: Vec<(Stage, Span)>,
    told: [Span; STAGE_COUNT],
}

impl Way {
    pub(super) fn begin(timeline: &Timeline) -> Self {
        Self {
            began_at: timeline.began_at,
            ..Self::default()
        }
    }

    /// Add what a time line has more, in the order of the path, and take back what it no longer has.
    pub(super) fn follow(&mut self, timeline: &Timeline) {
        for stage in Stage::ALL {
            let now = timeline.stages()[stage as usize];
            let before = std::mem::replace(&mut self.told[stage as usize], now);
            if now > before {
                self.add(stage, now - before);
            } else if before > now {
                self.take_back(stage, before - now);
            }
        }
    }

    fn add(&mut self, stage: Stage, span: Span) {
        match self.steps.last_mut() {
            Some(last) if last.0 == stage => last.1 += span,
            _ => self.steps.push((stage, span)),
        }
    }

    fn take_back(&mut self, stage: Stage, mut span: Span) {
        for step in self.steps.iter_mut().rev().filter(|step| step.0 == stage) {
            let taken = span.min(step.1);
            (step.1, span) = (step.1 - taken, span - taken);
        }
        self.steps.retain(|step| !step.1.is_zero());
    }

    /// Whether a time line may be one that went on from here.
    pub(super) fn leads_to(&self, timeline: &Timeline) -> bool {
        let told = self.told.iter().zip(timeline.stages());
        self.began_at == timeline.began_at && told.into_iter().all(|(before, now)| before <= now)
    }

    pub(super) fn length(&self) -> Span {
        self.steps.iter().map(|step| step.1).sum()
    }
}
