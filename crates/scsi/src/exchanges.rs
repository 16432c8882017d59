//! Exchanges of FCP with the commands they carry.

use sanlab_fc::Exchange;
use sanlab_kernel::{Arena, Id};

use crate::Command;

/// Exchanges and their commands: both have the same id, and a step that needs only one of them reads
/// only that one.
#[derive(Clone, Debug)]
pub struct Exchanges<T> {
    exchanges: Arena<Exchange>,
    commands: Arena<Command<T>>,
}

impl<T> Default for Exchanges<T> {
    fn default() -> Self {
        Self {
            exchanges: Arena::default(),
            commands: Arena::default(),
        }
    }
}

impl<T> Exchanges<T> {
    /// Open an exchange for a command.
    pub fn open(&mut self, exchange: Exchange, command: Command<T>) -> Id<Exchange> {
        let id = self.exchanges.insert(exchange);
        let same_id = self.commands.insert(command);
        debug_assert_eq!(id, same_id.same());
        id
    }

    /// The exchange is over.
    pub fn close(&mut self, id: Id<Exchange>) {
        self.exchanges.remove(id);
        self.commands.remove(id.same());
    }

    /// The exchange.
    #[inline]
    #[track_caller]
    pub fn exchange(&self, id: Id<Exchange>) -> &Exchange {
        &self.exchanges[id]
    }

    /// The exchange, to change.
    #[inline]
    #[track_caller]
    pub fn exchange_mut(&mut self, id: Id<Exchange>) -> &mut Exchange {
        &mut self.exchanges[id]
    }

    /// The exchange in the place of one that may be over; its number says whether it is.
    pub fn latest(&self, id: Id<Exchange>) -> &Exchange {
        self.exchanges.latest(id)
    }

    /// The command.
    #[inline]
    #[track_caller]
    pub fn command(&self, id: Id<Exchange>) -> &Command<T> {
        &self.commands[id.same()]
    }

    /// The command of the exchange in the place of one that may be over.
    pub fn latest_command(&self, id: Id<Exchange>) -> &Command<T> {
        self.commands.latest(id.same())
    }

    /// The command, to change.
    #[inline]
    #[track_caller]
    pub fn command_mut(&mut self, id: Id<Exchange>) -> &mut Command<T> {
        &mut self.commands[id.same()]
    }

    /// Ids of all that are open.
    pub fn live(&self) -> impl Iterator<Item = Id<Exchange>> + use<T> {
        self.exchanges.live()
    }

    /// How many are open.
    pub fn alive(&self) -> usize {
        self.exchanges.alive()
    }
}
