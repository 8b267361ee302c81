//! One-to-one assignment of the rows of a table to its columns.

/// The cheapest pairs of row and column; none if a cost is not a finite number.
pub(super) fn cheapest(rows: usize, columns: usize, costs: &Vec<f64>) -> Vec<(usize, usize)> {
    match lsap::solve(rows, columns, costs, false) {
        Ok((rows, columns)) => rows.into_iter().zip(columns).collect(),
        // Only absurd coordinates get here, and then nothing can be told to belong together.
        Err(_) => Vec::new(),
    }
}
