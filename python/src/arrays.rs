//! NumPy arrays from and to numbers of the simulator.

use numpy::{AllowTypeChange, Element, PyArray1, PyArray2, PyArrayLikeDyn, PyArrayMethods, PyUntypedArrayMethods};
use percale::linalg::{Vec2, Vec3};
use percale::mesh::TetMesh;
use percale::mesh::arrays::{Arrays, Chart, whole};
use percale::scene::given::{Given, Shape};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;

/// Anything that NumPy makes an array of numbers from.
pub(crate) type Like<'py, T> = PyArrayLikeDyn<'py, T, AllowTypeChange>;

/// Returns all numbers of an array.
fn flat<T: Element + Copy>(array: &Like<T>) -> Vec<T> {
    array.as_array().iter().copied().collect()
}

/// Returns the rows of an array of the shape (n, N).
pub(crate) fn rows<const N: usize, T: Element + Copy>(of: &str, array: &Like<T>) -> PyResult<Vec<[T; N]>> {
    let shape = array.shape();
    if shape.len() != 2 || shape[1] != N {
        return Err(PyValueError::new_err(format!("{of}: the shape is {shape:?}, expected (n, {N})")));
    }
    Ok(flat(array).as_chunks::<N>().0.to_vec())
}

/// Returns the vectors of an array of the shape (n, 3).
pub(crate) fn vectors(of: &str, array: &Like<f64>) -> PyResult<Vec<Vec3>> {
    Ok(rows::<3, f64>(of, array)?.into_iter().map(Vec3::from).collect())
}

/// Returns the vector of an array of the shape (3,).
pub(crate) fn vector(of: &str, array: &Like<f64>) -> PyResult<Vec3> {
    match array.shape() {
        [3] => Ok(Vec3::from_iterator(array.as_array().iter().copied())),
        shape => Err(PyValueError::new_err(format!("{of}: the shape is {shape:?}, expected (3,)"))),
    }
}

/// Returns the point of an array of the shape (2,).
pub(crate) fn point(of: &str, array: &Like<f64>) -> PyResult<[f64; 2]> {
    <[f64; 2]>::try_from(flat(array))
        .map_err(|_| PyValueError::new_err(format!("{of}: the shape is {:?}, expected (2,)", array.shape())))
}

/// Makes an array of the shape (n, N).
pub(crate) fn table<'py, const N: usize, T: Element + Copy>(
    py: Python<'py>,
    rows: impl Iterator<Item = [T; N]>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let flat: Vec<T> = rows.flatten().collect();
    let count = flat.len() / N;
    PyArray1::from_vec(py, flat).reshape([count, N])
}

/// Returns the meshes of a scene without a file. `meshes` has them by name, as `percale._scene` writes them.
pub(crate) fn given(meshes: &Bound<PyDict>) -> PyResult<Given> {
    let mut given = Given::default();
    for (name, arrays) in meshes {
        let (name, arrays) = (name.extract::<String>()?, arrays.cast_into::<PyDict>()?);
        let shape = shape(&name, &arrays)?;
        given.insert(&name, shape);
    }
    Ok(given)
}

/// Returns the numbers of each array of a dict.
fn named<T>(
    arrays: &Bound<PyAny>,
    numbers: impl Fn(Bound<PyAny>) -> PyResult<Vec<T>>,
) -> PyResult<BTreeMap<String, Vec<T>>> {
    let arrays = arrays.cast::<PyDict>()?;
    arrays.iter().map(|(name, array)| Ok((name.extract()?, numbers(array)?))).collect()
}

fn shape(name: &str, arrays: &Bound<PyDict>) -> PyResult<Shape> {
    let of = |key: &str| format!("{name}.{key}");
    let wrong = |why: percale::mesh::MeshError| PyValueError::new_err(format!("{name}: {why}"));
    if let Some(samples) = arrays.get_item("samples")? {
        let samples: Like<f64> = samples.extract()?;
        let [_, count, 3] = *samples.shape() else {
            let shape = samples.shape();
            return Err(PyValueError::new_err(format!("{name}: the shape is {shape:?}, expected (samples, n, 3)")));
        };
        let all: Vec<Vec3> = flat(&samples).as_chunks::<3>().0.iter().map(|p| Vec3::from(*p)).collect();
        return Ok(Shape::Points(if count > 0 {
            all.chunks(count).map(<[Vec3]>::to_vec).collect()
        } else {
            Vec::new()
        }));
    }
    let need = |key: &str| arrays.get_item(key)?.ok_or_else(|| PyKeyError::new_err(of(key)));
    let positions = vectors(&of("points"), &need("points")?.extract()?)?;
    let groups = named(&need("groups")?, |array| Ok(flat(&array.extract::<Like<u32>>()?)))?;
    if let Some(tets) = arrays.get_item("tets")? {
        let tets = rows::<4, u32>(&of("tets"), &tets.extract()?)?;
        whole(&positions).map_err(wrong)?;
        let members = groups.values().flatten().chain(tets.iter().flatten());
        if let Some(v) = members.copied().find(|v| *v as usize >= positions.len()) {
            let count = positions.len();
            let message = format!("{name}: vertex {v} does not exist, the mesh has {count}, counted from 0");
            return Err(PyValueError::new_err(message));
        }
        return Ok(Shape::Solid(TetMesh { positions, tets, groups, ..TetMesh::default() }));
    }
    let uv = |array: Bound<PyAny>| -> PyResult<Vec<Vec2>> {
        Ok(rows::<2, f64>(&of("uv"), &array.extract()?)?.into_iter().map(Vec2::from).collect())
    };
    let chart = match (arrays.get_item("uv")?, arrays.get_item("corner_uv")?) {
        (Some(all), _) => Chart::Vertices(uv(all)?),
        (_, Some(all)) => Chart::Corners(uv(all)?),
        _ => Chart::None,
    };
    let arrays = Arrays {
        positions,
        corners: flat(&need("corners")?.extract::<Like<u32>>()?),
        ends: flat(&need("ends")?.extract::<Like<u64>>()?).into_iter().map(|end| end as usize).collect(),
        chart,
        groups,
        channels: named(&need("channels")?, |array| Ok(flat(&array.extract::<Like<f64>>()?)))?,
    };
    arrays.mesh().map(|mesh| Shape::Surface(Box::new(mesh))).map_err(wrong)
}
